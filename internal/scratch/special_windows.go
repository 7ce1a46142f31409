package scratch

import (
	"errors"
	"fmt"

	"golang.org/x/sys/windows"
)

// Mkfifo fails: named pipes have no names in directories here.
func Mkfifo(string, uint32) error { return errors.ErrUnsupported }

// Umask does nothing: there is no such mask here.
func Umask(int) int { return 0 }

// Stamp says which file it is and when what of it was changed, but not when it was read.
func Stamp(path string) (_ string, err error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return "", err
	}
	const shared = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(name, windows.FILE_READ_ATTRIBUTES, shared, nil, windows.OPEN_EXISTING,
		windows.FILE_FLAG_BACKUP_SEMANTICS|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, windows.CloseHandle(h)) }()
	var by windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &by); err != nil {
		return "", err
	}
	by.LastAccessTime = windows.Filetime{}
	return fmt.Sprint(by), nil
}
