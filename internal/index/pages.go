package index

import (
	"encoding/binary"
	"errors"
	"net/url"
	"path/filepath"
	"sync"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"
)

// pageSize is that of every index. All records are read at once, in a quarter of
// the reads that usual pages take.
const pageSize = 16 << 10

// pageSum is how many bytes at the end of each page SQLite leaves to its checksum.
const pageSum = 4

// vfsName is what SQLite knows the checked files by.
const vfsName = "cambium-index"

// resultPage is the error of a page that is not as it was written.
const resultPage = sqlite.ResultCode(lib.SQLITE_IOERR_DATA)

// Functions of SQLite, as they are in C.
type (
	openFunc  = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32
	readFunc  = func(tls *libc.TLS, file, buf uintptr, n int32, off int64) int32
	writeFunc = func(tls *libc.TLS, file, buf uintptr, n int32, off int64) int32
)

// files is the system's way to files, but for the opening of databases. It lies in
// memory of C.
type files struct {
	lib.Tsqlite3_vfs
	open uintptr // the system's
	size int32   // of the system's files
}

// methods are those of a file whose pages are checked: the system's, but for two. They
// lie behind the system's file.
type methods struct {
	lib.Tsqlite3_io_methods
	read, write uintptr // the system's
}

// checked has SQLite know the checked files.
var checked = sync.OnceValues(register)

// openChecked opens a database whose pages have checksums. They are compared at each
// reading of a page and made at each writing. The log beside the file has checksums
// of its own.
func openChecked(path string) (*sqlite.Conn, error) {
	if _, err := checked(); err != nil {
		return nil, err
	}
	uri := url.URL{Scheme: "file", OmitHost: true, Path: uriPath(path), RawQuery: "vfs=" + vfsName}
	return sqlite.OpenConn(uri.String(), sqlite.OpenReadWrite|sqlite.OpenURI)
}

func register() (*files, error) {
	tls := libc.NewTLS()
	defer tls.Close()
	system := lib.Xsqlite3_vfs_find(tls, 0)
	if system == 0 {
		return nil, errors.New("open the index: SQLite has no way to files")
	}
	address := libc.Xcalloc(tls, 1, libc.Tsize_t(unsafe.Sizeof(files{})))
	name, err := libc.CString(vfsName)
	if err != nil || address == 0 {
		return nil, errors.New("open the index: no memory")
	}
	f := (*files)(at(address)) // for as long as the process lives
	f.Tsqlite3_vfs = *(*lib.Tsqlite3_vfs)(at(system))
	f.open, f.size = f.FxOpen, f.FszOsFile
	f.FpNext, f.FzName, f.FxOpen = 0, name, pointer(openFile)
	f.FszOsFile += int32(unsafe.Sizeof(methods{}))
	res := sqlite.ResultCode(lib.Xsqlite3_vfs_register(tls, address, 0))
	return f, res.ToError()
}

// openFile opens a file as the system does. A database gets other methods.
func openFile(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
	all := (*files)(at(vfs))
	res := function[openFunc](all.open)(tls, vfs, name, file, flags, out)
	f := (*lib.Tsqlite3_file)(at(file))
	if res != lib.SQLITE_OK || flags&lib.SQLITE_OPEN_MAIN_DB == 0 || f.FpMethods == 0 {
		return res
	}
	behind := file + uintptr(all.size)
	m := (*methods)(at(behind))
	m.Tsqlite3_io_methods = *(*lib.Tsqlite3_io_methods)(at(f.FpMethods))
	m.read, m.write = m.FxRead, m.FxWrite
	m.FxRead, m.FxWrite = pointer(readPage), pointer(writePage)
	m.FiVersion = min(m.FiVersion, 2) // from 3 on, pages are read from mapped memory
	f.FpMethods = behind
	return res
}

// of returns the methods of a file that openFile opened.
func of(file uintptr) *methods { return (*methods)(at((*lib.Tsqlite3_file)(at(file)).FpMethods)) }

// readPage reads from a database. A page is compared with its checksum.
func readPage(tls *libc.TLS, file, buf uintptr, n int32, off int64) int32 {
	res := function[readFunc](of(file).read)(tls, file, buf, n, off)
	if res != lib.SQLITE_OK || n != pageSize || off%pageSize != 0 {
		return res
	}
	page := (*[pageSize]byte)(at(buf))
	if binary.LittleEndian.Uint32(page[pageSize-pageSum:]) != sumPage(page, off) {
		return lib.SQLITE_IOERR_DATA
	}
	return res
}

// writePage writes to a database. A page gets its checksum.
func writePage(tls *libc.TLS, file, buf uintptr, n int32, off int64) int32 {
	if n == pageSize && off%pageSize == 0 {
		sealPage((*[pageSize]byte)(at(buf)), off)
	}
	return function[writeFunc](of(file).write)(tls, file, buf, n, off)
}

// sumPage returns the checksum of a page and of where it is.
func sumPage(page *[pageSize]byte, off int64) uint32 {
	return sum(binary.LittleEndian.AppendUint64(nil, uint64(off)), page[:pageSize-pageSum])
}

func sealPage(page *[pageSize]byte, off int64) {
	binary.LittleEndian.PutUint32(page[pageSize-pageSum:], sumPage(page, off))
}

// emptyDatabase returns a database without tables, whose pages end in checksums. SQLite
// offers the number of bytes that it leaves at their ends through no statement.
func emptyDatabase() []byte {
	var page [pageSize]byte
	copy(page[:], "SQLite format 3\x00")
	binary.BigEndian.PutUint16(page[16:], pageSize)
	page[18], page[19] = 1, 1 // who may write and read it
	page[20] = pageSum
	page[21], page[22], page[23] = 64, 32, 32      // as the format has it
	binary.BigEndian.PutUint32(page[24:], 1)       // changes
	binary.BigEndian.PutUint32(page[28:], 1)       // pages
	binary.BigEndian.PutUint32(page[44:], 4)       // how a schema is written
	binary.BigEndian.PutUint32(page[56:], 1)       // UTF-8
	binary.BigEndian.PutUint32(page[92:], 1)       // the change that the next was written at
	binary.BigEndian.PutUint32(page[96:], 3046001) // a library
	page[100] = 13                                 // a leaf of a table, without cells
	binary.BigEndian.PutUint16(page[105:], pageSize-pageSum)
	sealPage(&page, 0)
	return page[:]
}

// at returns what C has at an address, which no collector moves.
func at(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// function returns the function at an address of C.
func function[F any](address uintptr) F { return *(*F)(unsafe.Pointer(&struct{ uintptr }{address})) }

// pointer returns the address of a function for C. The function is no closure.
func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// uriPath returns a path as it stands in the name of a file that SQLite takes apart.
func uriPath(path string) string {
	path = filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" && path[0] != '/' {
		path = "/" + path
	}
	return path
}
