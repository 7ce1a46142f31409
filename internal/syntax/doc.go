// Package syntax tells the parts of code apart that are coloured: words of the
// language, strings, comments. The lexers are those of chroma, for the languages that
// agents write most (the folder lexers holds them as chroma has them).
//
// Its expressions go back, so that code can be made for which they take for ever. What
// is long is therefore not coloured, nor is what takes longer than a [Painter] waits.
package syntax
