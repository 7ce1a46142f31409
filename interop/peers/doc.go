// Package peers runs the real programs that Cambium shares its files with, for
// the tests and measurements that compare with them. A Driver is one process of
// pi or omp that answers questions about session files with that program's own
// session manager; interop/methods.mjs lists the questions. Compare tells
// whether two JSON values are the same to JavaScript.
//
// Nothing here is skipped when a program is not installed: Start fails with
// ErrNotInstalled, whose text says what to run.
package peers
