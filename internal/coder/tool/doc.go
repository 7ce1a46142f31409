// Package tool has what the built-in agent can do: read, bash, edit, write, grep,
// find, ls.
//
// A [Tool] works in one directory, says what it did as content for the model and
// details for screens, keeps what is too long as an artifact beside the session,
// and stops at once when its context ends. Asking a person first is the loop's
// matter.
//
// # Places
//
// A path is seen from [Env.Dir]; "~" is the home of [Env.Environ]. What counts is
// where it really leads, all symbolic links followed: a place that is not in the
// directory is refused unless [Env.Outside] is set, with a text that names
// [OutsideFlag]. Files are reached through an os.Root, so a link that is put in
// the way later leads nowhere; what is written, by the names of directories alone.
// What is in [Env.ArtifactDir] may be looked at, unless that is a link. Files that
// the system makes up, as those of /proc, are refused unless [Env.Outside] is set.
// A hard link is the file itself and cannot be told from it; a file that is written
// is replaced, so that its other names keep what they had. The commands of bash are
// not held by this: who lets one run, lets it do anything.
//
// [TargetOf] finds what a call changes before a person is asked, and [Env.Agreed]
// has the call refused that comes to anything else.
//
// # Results
//
// What a model reads is valid UTF-8 without NUL, of at most [MaxLines] and
// [MaxBytes] and some remarks in brackets that say what was left out and how to
// see it. Details are objects:
//
//	read   path, firstLine, lines, totalLines (0: not counted), truncated;
//	       of a picture path, mimeType, bytes
//	bash   exitCode (absent: none), truncated, fullOutputPath (absent: none),
//	       durationMs, cancelled and timedOut (absent: false)
//	edit   path, diff, diffTruncated (absent: false), firstChangedLine, added,
//	       removed
//	write  path, bytes, created, and those of edit where text was replaced
//	grep   path, matches, files, truncated
//	find   path, files, truncated
//	ls     path, entries, total, truncated
//
// A result with IsError has them only of a command that failed.
package tool
