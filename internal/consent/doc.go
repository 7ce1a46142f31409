// Package consent makes what a person is shown of a tool call who is asked whether
// it may be run. What is shown is what is done: [Of] makes a call canonical, that
// value is shown by [Call.Show], and the same value is given to the tool. [Read]
// makes of the rows on a screen the call again, byte for byte; Show itself reads
// what it made, and fails rather than show what says something else.
//
// # What the lines say
//
//	Run edit in /home/ada/garden?           the tool, and where it works
//	It leads to /home/ada/.bashrc           where a named file really is, if elsewhere
//	Mind: git runs what its hooks name      who obeys that file, though nobody runs it
//	  path: beds.txt                        a text on one line
//	  count = 3                             a number, true, false, null, "", {} or []
//	  content:                              a text on several lines:
//	  | one                                 each of them
//	  |                                     an empty one, here behind the last line end
//	  edits = [                             an array, its elements counted from 1
//	    1 = {                               an object
//	      oldText to newText:               two texts, as what differs in them:
//	      | kept                            a line of both
//	      - dry                             a line of the first only
//	      + wet                             a line of the second only
//	    }
//	  ]
//	Always allows every call of edit in …   what is allowed for good, if it is
//
// A name that is not a word of ASCII stands in double quotes. Arguments are
// indented, lines of the question's own are not, so that no argument passes for one
// of them. A line that is wider than the screen goes on in rows that begin with
// "… " ("\ " in ASCII), with which no line begins.
//
// # What the characters say
//
// A character that is seen stands for itself. All others — controls, blanks but
// the space of ASCII, what has no width or changes the direction, unassigned and
// private ones, marks without a letter under them — are written \u{1b}, by their
// number in hexadecimal, and a byte that is not UTF-8 \x{ff}. A tab is ⇥. So is, by
// its number, a space at the end of a line, each twentieth of a run, a real ⇥, and a
// backslash before "u{" or "x{". On a screen of ASCII all else is written so, too.
//
// Letters that look alike are not told apart, and a terminal that orders letters
// written from right to left by itself does so here: a line says that there are
// some.
package consent
