// Package places says where each dialect keeps things: its home and the
// overrides of it, the sessions root, the name of a working directory's session
// directory in every form that was ever written, and the directories of Cambium
// itself. What the files in them are called is said by internal/ident.
//
// Everything here is a pure function of values. A [layout.Env] carries what is known of
// the machine (home, temporary directory, environment, two questions about
// paths). What the package answers are candidates: whether they exist is for the caller to
// find out, and which sessions belong to a working directory is decided by the
// headers inside them, because directory names are not injective.
//
// Terms. The agent directory is a dialect's home ("~/.pi/agent"). The sessions
// root holds one session directory for each working directory. A session
// directory holds session files. The living form of a directory name is the one
// that the dialect's program writes today.
package places
