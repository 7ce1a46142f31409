// Package local keeps logs as files on disk: the name of a log is its absolute
// path, its lines end with LF, and nothing else is in the file.
//
// # Appending
//
// An append is one write of whole lines at the end of the file (O_APPEND),
// under an exclusive flock on the file's own descriptor. After the lock is
// taken, the file that has the name is compared with the one that is open
// (device, inode), and its size and time of change with those of the mark. A
// file that was replaced is opened again, one that was moved is followed. If
// the file is not as this Log left it, its last byte is read: a missing LF is
// written first, so that a torn tail never swallows a line.
//
// A hasty append does not look at the file behind its write: the next look does,
// and may be a glance, without the time of change, if it comes within a
// millisecond. Who was told that the log has grown has the lock kept for 20 ms, to
// read and come again.
//
// What a failed write left of a line is cut off again if the file still ends
// with it, else it is closed with LF.
//
// # Replacing
//
// The file is streamed into a temporary one beside it, ".NAME.cambium-tmp-…",
// which gets its mode and owner, is synced and renamed over it. The old inode
// keeps a name, ".NAME.cambium-old-N", as long as another process may have it
// open: N is how many of its bytes are accounted for. Where the system does not
// tell, as macOS, it is kept for a week, eight of a log at most. What a program appends
// to it behind those is carried over, at once or when the log is opened for
// writing the next time.
//
// # Links and other files
//
// A name that is a symbolic link is resolved once, when it is opened; all that
// is done is done to its target, which stays where it is. Only regular files
// are opened. New files have mode 0600 and new directories 0700.
package local
