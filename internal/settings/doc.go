// Package settings reads what the user chose: settings.json in Cambium's own
// configuration directory. doc/settings.md describes every member.
//
// The program never writes the file. What it does not know is passed over and
// named; what it cannot take is an error that says where. Keys are never in it:
// they come from the environment, and a file that holds one is refused. Commands
// in it are passed over where somebody else could have put them there.
package settings
