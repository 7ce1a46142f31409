package export

import (
	"crypto/sha256"
	_ "embed" // for the style and the script
	"encoding/base64"
	"fmt"
)

//go:embed page.css
var style string

//go:embed page.js
var script string

// A frame is what stands around the messages of a page.
type frame struct {
	title  string
	facts  []string
	script bool
	// before and behind are the names of the pages beside this one, "" for none.
	before, behind string
}

// A row is one of an index: a page, its first prompt and when that was.
type row struct {
	name, text, time string
	prompts          int
}

// policy says what a page may load: nothing from anywhere, and of itself its style, its
// script and the pictures in it.
func (f frame) policy() string {
	p := "default-src 'none'; img-src data:; style-src " + sum(style)
	if f.script {
		p += "; script-src " + sum(script)
	}
	return p + "; base-uri 'none'; form-action 'none'"
}

// sum is how a policy names what may be in a page.
func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(h[:]) + "'"
}

// head writes what stands before the messages.
func (f frame) head(s sink) {
	s.mark("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	s.in(`<meta http-equiv="Content-Security-Policy" content="`, "\">\n", f.policy())
	s.mark("<meta name=\"referrer\" content=\"no-referrer\">\n",
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
		"<meta name=\"color-scheme\" content=\"light dark\">\n")
	s.in("<title>", "</title>\n", f.title)
	s.mark("<style>", markup(style), "</style>\n</head>\n<body>\n")
	s.in(`<header class="page"><h1>`, "</h1><p>", f.title)
	for i, fact := range f.facts {
		if i > 0 {
			s.mark(" · ")
		}
		s.line(fact)
	}
	s.mark("</p>\n")
	f.ways(s)
	s.mark("</header>\n<main id=\"top\">\n")
}

// ways writes the links to other pages, and to the contents.
func (f frame) ways(s sink) {
	s.mark(`<nav class="ways">`)
	if f.before != "" {
		s.in(`<a href="`, `">before</a> `, f.before)
	}
	if f.before != "" || f.behind != "" {
		s.mark(`<a href="index.html">all pages</a> `)
	}
	if f.behind != "" {
		s.in(`<a href="`, `">next</a> `, f.behind)
	}
	s.mark("<a href=\"#contents\">contents</a></nav>\n")
}

// foot writes what stands behind them: the contents, which have a link to each prompt, and
// the script.
func (f frame) foot(s sink, prompts []prompt) {
	s.mark("</main>\n<nav id=\"contents\"><h2>Contents</h2>\n")
	if len(prompts) == 0 {
		s.mark("<p>No prompts.</p>")
	} else {
		s.mark("<ol>\n")
		for _, p := range prompts {
			s.anchor(`<li><a href="#`, p.id)
			s.in(">", "</a></li>\n", p.text)
		}
		s.mark("</ol>")
	}
	s.mark("\n")
	f.ways(s)
	s.mark("</nav>\n")
	if f.script {
		s.mark("<script>", markup(script), "</script>\n")
	}
	s.mark("</body>\n</html>\n")
}

// index writes the page that leads to all others.
func (f frame) index(s sink, pages []row) {
	f.script = false
	f.head(s)
	s.mark("<ol class=\"pages\" id=\"contents\">\n")
	for _, p := range pages {
		s.in(`<li><a href="`, `">`, p.name)
		s.in("", "</a> ", p.text)
		s.in("<i>", "</i></li>\n", fmt.Sprintf("%s, %d prompts", p.time, p.prompts))
	}
	s.mark("</ol></main>\n</body>\n</html>\n")
}
