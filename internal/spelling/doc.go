// Package spelling says how the four dialects spell the same session: cambium
// (the published format, P1), pi 0.87.1, omp 18.2.3 and xcsh 17.4.4.
//
// A [Dialect] is a plain value; nothing here branches on its name. It tells how
// headers are laid out, how a session gets its title, what is done to a line
// before it is stored ([Prepare]) and after it is read ([Resolve]), and which
// rules rebuild the context. [Of] finds out which dialect a session has,
// [Migrate] brings an older version up to date.
//
// The package is pure: it reads no file, no clock and no environment, and never
// changes bytes that it is given. Its functions are safe for concurrent use; a
// [Marks] is not.
package spelling
