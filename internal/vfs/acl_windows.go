package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// stranger is the UID of who is neither the person, nor the system, nor an
// administrator. Those are all 0.
const stranger = 1

// Own returns who owns what the person makes, as an Info says it.
func Own() (uid, gid uint32) { return 0, 0 }

// people are the person and those who may do everything anyway.
var people = sync.OnceValues(func() ([]*windows.SID, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, fmt.Errorf("find who runs this: %w", err)
	}
	all := []*windows.SID{user.User.Sid}
	// The system, administrators, the installer of Windows, who made a file, who owns it.
	for _, text := range []string{
		"S-1-5-18", "S-1-5-32-544", "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464", "S-1-3-0", "S-1-3-4",
	} {
		sid, err := windows.StringToSid(text)
		if err != nil {
			return nil, err
		}
		all = append(all, sid)
	}
	return all, nil
})

// believed reports whether somebody is one of them. Nobody is when they are not known.
func believed(sid *windows.SID) bool {
	all, _ := people()
	for _, one := range all {
		if sid != nil && sid.Equals(one) {
			return true
		}
	}
	return false
}

// privately is the security of what only the person may use: they, the system and
// administrators, who can use everything anyway. It is inherited in a directory.
var privately = sync.OnceValues(func() (*windows.SECURITY_DESCRIPTOR, error) {
	all, err := people()
	if err != nil {
		return nil, err
	}
	return windows.SecurityDescriptorFromString(fmt.Sprintf("D:P(A;OICI;FA;;;%s)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)", all[0]))
})

// rightsOf returns who owns an open file, and the permission bits of all others. A file
// that does not say is a stranger's: whoever it is may have given it away.
func rightsOf(h windows.Handle, dir bool) (uid uint32, others fs.FileMode) {
	sd, err := windows.GetSecurityInfo(h, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return stranger, 0
	}
	owner, _, err := sd.Owner()
	if err != nil || !believed(owner) {
		uid = stranger
	}
	dacl, _, err := sd.DACL()
	if errors.Is(err, windows.ERROR_OBJECT_NOT_FOUND) || err == nil && dacl == nil {
		return uid, 0o066 // no list: everybody may do everything
	}
	if err != nil {
		return stranger, 0
	}
	return uid, aclMode(rowsOf(dacl), dir)
}

// rowsOf returns the rows of a list that grant something.
func rowsOf(list *windows.ACL) (rows []ace) {
	for i := range uint32(list.AceCount) {
		var row *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &row); err != nil {
			rows = append(rows, ace{mask: rightAll}) // unknown rights to somebody
			continue
		}
		const byCondition = 9
		if row.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE && row.Header.AceType != byCondition {
			continue // it denies, or is for a log
		}
		rows = append(rows, ace{
			mask: uint32(row.Mask), later: row.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0,
			trusted: believed((*windows.SID)(unsafe.Pointer(&row.SidStart))),
		})
	}
	return rows
}

// chmod sets what of a mode Windows has: whether the file may be written at all, and
// whether only the person may use it. Otherwise the directory says who may.
func chmod(h windows.Handle, mode fs.FileMode) error {
	info, err := infoOf("", h)
	if err != nil {
		return err
	}
	if readOnly := mode&0o200 == 0; readOnly != (info.Mode&0o200 == 0) && !info.Mode.IsDir() {
		if err := setReadOnly(h, readOnly); err != nil {
			return err
		}
	}
	private := mode.Perm()&0o077 == 0
	if private == (info.Mode.Perm()&0o077 == 0) {
		return nil
	}
	how := windows.SECURITY_INFORMATION(windows.DACL_SECURITY_INFORMATION)
	if !private {
		sd, err := windows.SecurityDescriptorFromString("D:") // and what the directory says
		return setRights(h, how|windows.UNPROTECTED_DACL_SECURITY_INFORMATION, sd, err)
	}
	sd, err := privately()
	return setRights(h, how|windows.PROTECTED_DACL_SECURITY_INFORMATION, sd, err)
}

// setRights gives an open file the list of rights of sd, which err says is not there.
func setRights(h windows.Handle, how windows.SECURITY_INFORMATION, sd *windows.SECURITY_DESCRIPTOR, err error) error {
	if err != nil {
		return err
	}
	list, _, err := sd.DACL()
	if err != nil {
		return err
	}
	return caused(windows.SetSecurityInfo(h, windows.SE_FILE_OBJECT, how, nil, nil, list, nil))
}

func setReadOnly(h windows.Handle, is bool) error {
	var basic struct {
		made, read, written, changed int64
		attributes, _                uint32
	}
	size := uint32(unsafe.Sizeof(basic))
	if err := windows.GetFileInformationByHandleEx(h, windows.FileBasicInfo, (*byte)(unsafe.Pointer(&basic)), size); err != nil {
		return caused(err)
	}
	basic.attributes &^= windows.FILE_ATTRIBUTE_READONLY
	if is {
		basic.attributes |= windows.FILE_ATTRIBUTE_READONLY
	}
	if basic.attributes == 0 {
		basic.attributes = windows.FILE_ATTRIBUTE_NORMAL // 0 would leave them as they are
	}
	basic.made, basic.read, basic.written, basic.changed = 0, 0, 0, 0 // as they are
	return caused(windows.SetFileInformationByHandle(h, windows.FileBasicInfo, (*byte)(unsafe.Pointer(&basic)), size))
}
