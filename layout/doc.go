// Package layout says what is known of a machine: an [Env] carries the home, the working
// directory, the environment and two questions about paths, from which the library finds
// where each agent keeps things. [Here] returns that of this process; nothing else looks at
// the process or the disk.
package layout
