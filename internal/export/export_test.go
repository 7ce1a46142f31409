package export

// Harmless is harmless, CodeIn where code is in a text: from and to, in turn.
var Harmless = harmless

// CodeIn returns where code is in Markdown.
func CodeIn(s string) (all [][2]int) {
	for _, at := range codeIn(s) {
		all = append(all, [2]int{at.Start, at.Stop})
	}
	return all
}

// Closed is closed.
var Closed = closed

// Style and Script are those of a page.
func Style() (css, js string) { return style, script }
