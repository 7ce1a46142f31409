package conversion

import (
	"slices"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/go-json-experiment/json/jsontext"
)

// headerKeys are the members of a header that a new one has of its own.
func headerKeys() []string {
	return []string{
		"type", "version", "id", "timestamp", "cwd", "title", "titleSource", "parentSession",
		"providerPromptCacheKey", "additionalDirectories", "previousSessionFiles",
	}
}

// Head returns the lines that come before the entries, without newlines: the
// header, and before it a title slot where the session had one in its own
// program's file and comes home.
//
// A new session has a header as a fork from another project has it (published
// forkFrom), with the source's title, and the members that no program here
// knows. The header of a session that is not at home says whose file it is in
// now, in its cambium member, because what it holds may look like another's.
func (c *Conversion) Head() [][]byte {
	line, home := c.sourceHeader(), false
	if p := c.prior; p != nil && p.agent == c.to.Dialect.Name {
		line, home = c.returned(p.header), true
	}
	title, source := c.title(line, home)
	var slot []byte
	if home && c.prior.slot != nil && c.to.Dialect.TitleChange {
		slot = c.slot()
	} else {
		line = c.titled(line, title, source, home)
	}
	if c.to.Fresh.ID != "" {
		line = c.forked(line, title, source)
	} else if cwd := c.to.Fresh.CWD; cwd != "" {
		line = jsonedit.Set(line, "cwd", jsonedit.Quoted(cwd))
	}
	if !home && !c.copies() {
		own, _ := jsonedit.Get(line, "cambium")
		if jsonedit.Kind(own) != jsontext.KindBeginObject {
			own = entry.JSON("{}")
		}
		line = jsonedit.Set(line, "cambium", jsonedit.Set(own, "agent", jsonedit.Quoted(string(c.to.Dialect.Name))))
	}
	if slot != nil {
		return [][]byte{slot, line}
	}
	return [][]byte{line}
}

// sourceHeader returns the header's line in the present version, without the
// note of an earlier conversion.
func (c *Conversion) sourceHeader() entry.JSON {
	h := c.src.Header
	line := entry.JSON(h.Raw)
	if line == nil {
		line = h.Encode(c.src.Dialect.CreateOrder...)
	}
	line = spelling.MigrateHeader(line)
	if c.copies() {
		return line
	}
	own, _ := jsonedit.Get(line, "cambium")
	if _, ok := jsonedit.Get(own, "agent"); !ok {
		return line
	}
	if own = jsonedit.Delete(own, "agent"); isEmpty(own) {
		return jsonedit.Delete(line, "cambium")
	}
	return jsonedit.Set(line, "cambium", own)
}

// returned returns the header that the target's own program wrote, with what
// tells this session from others.
func (c *Conversion) returned(line entry.JSON) entry.JSON {
	now := c.sourceHeader()
	for _, key := range []string{"id", "timestamp", "cwd", "parentSession"} {
		if v, ok := jsonedit.Get(now, key); ok {
			line = jsonedit.Set(line, key, v)
		} else {
			line = jsonedit.Delete(line, key)
		}
	}
	return line
}

// title returns what the session is called and who called it that: where it
// kept its name abroad, whoever did before.
func (c *Conversion) title(line entry.JSON, home bool) (title, source string) {
	title, source = c.to.Dialect.Sanitize(c.src.Title), c.src.TitleSource
	if before, _ := jsonedit.Text(line, "title"); home && before == c.src.Title {
		source, _ = jsonedit.Text(line, "titleSource")
		return before, source
	}
	if title != "" && source == "" {
		source = dialect.UserTitle
	}
	return title, source
}

// titled puts the title into a header, where the target keeps it there, and takes
// it out of that of a program that keeps it elsewhere.
func (c *Conversion) titled(line entry.JSON, title, source string, home bool) entry.JSON {
	before, _ := jsonedit.Text(line, "title")
	switch {
	case c.to.Dialect.NameByEntry && (home || c.copies()), !c.to.Dialect.NameByEntry && before == title:
		return line
	case c.to.Dialect.NameByEntry || title == "":
		return jsonedit.Delete(line, "title", "titleSource")
	}
	line = jsonedit.Set(line, "title", jsonedit.Quoted(title))
	return jsonedit.Set(line, "titleSource", jsonedit.Quoted(source))
}

// forked returns the header of a new session.
func (c *Conversion) forked(line entry.JSON, title, source string) entry.JSON {
	from, _ := entry.ParseHeader(line)
	h := c.to.Dialect.ForkFromHeader(spelling.Source{Header: &from, Path: c.src.Path, Title: title, TitleSource: source}, c.to.Fresh)
	out := entry.JSON(h.Raw)
	for key, v := range jsonedit.Members(line) {
		if !slices.Contains(headerKeys(), key) {
			out = jsonedit.Set(out, key, v)
		}
	}
	return out
}

// slot returns the title slot of a session that comes home.
func (c *Conversion) slot() []byte {
	title, _ := jsonedit.Text(c.prior.slot, "title")
	source, _ := jsonedit.Text(c.prior.slot, "source")
	at, _ := jsonedit.Text(c.prior.slot, "updatedAt")
	if title != c.src.Title {
		title, source, at = c.to.Dialect.Sanitize(c.src.Title), c.src.TitleSource, jsonedit.FormatTime(c.to.Now)
	}
	slot := spelling.FormatSlot(title, source, at)
	return slot[:len(slot)-1]
}
