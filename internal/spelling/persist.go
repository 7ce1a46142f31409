package spelling

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// Persist says what is done to a line before it is stored, and undone after it
// is read. The zero Persist does nothing, as pi (P1; omp 18.2.3; xcsh 17.4.4).
type Persist struct {
	// Limit is the longest string that is stored, in UTF-16 units; 0 is any.
	Limit int
	// Drop are names of members that are removed wherever they stand.
	Drop []string
	// EmptySignatures makes signatures over the limit the empty string (xcsh);
	// otherwise they are stored whole.
	EmptySignatures bool
	// Sealed stores blocks that a provider has signed or encrypted as they
	// are, and leaves out the thinkingSignature of reasoning that the message
	// holds in its providerPayload already (omp).
	Sealed bool
	// Images says where images are looked for that are kept as blobs.
	Images Images
	// MinImage is the number of base64 characters from which an image is
	// kept as a blob.
	MinImage int
	// Typed gives the blobs of images the extension of their type (omp).
	Typed bool
	// Forget names the provider whose native history is left out of its
	// assistant messages when they are read, with the signatures in them:
	// "" for none, [Everyone] for all.
	Forget string
}

// Everyone is the value of Persist.Forget for all providers (xcsh).
const Everyone = "*"

// Images says where images are looked for.
type Images uint8

const (
	// NoImages looks for none.
	NoImages Images = iota
	// ImagesInContent are image blocks in an array that is called content,
	// and image_url data URLs anywhere (P1, xcsh).
	ImagesInContent
	// ImagesWide are image blocks under content, image data with a type under
	// images and frames, results of image generation, and image_url data URLs
	// anywhere (omp).
	ImagesWide
)

const (
	maxUnits = 500_000
	minImage = 1024
)

// Notice ends a string that was cut for its length (P1).
const Notice = "\n\n[Session persistence truncated large content]"

// refPrefix begins a reference to a blob; 64 lower-case hexadecimal digits
// follow.
const refPrefix = "blob:sha256:"

// Put keeps bytes in a blob store and returns the reference to them. ext is the
// extension for an image of a known type, without a dot, else "".
type Put func(data []byte, ext string) (ref string, err error)

// Prepare returns the line of an entry or header as it is to be stored, and
// whether that differs from line, which is returned itself if not. Bytes that the
// rules do not concern stay as they are.
//
// What the rules take out of the line goes to put: the bytes of images, the text
// of data URLs, and, beyond what the programs do, the whole text of every string
// that is cut (D12). Where it went stands at the end of the entry in
//
//	"cambium":{"full":[{"path":["message","content",0,"text"],"ref":"blob:sha256:…"}]}
//
// which the programs keep and ignore. A value that put does not take stays in the
// line, whole, and so do all when put is nil. An image whose data is not plainly
// base64 is no image. The error is for a line that is not an object.
func Prepare(line []byte, rules Persist, put Put) (prepared []byte, changed bool, err error) {
	if !rules.concerns(line) {
		return line, false, nil
	}
	if jsonedit.Kind(line) != jsontext.KindBeginObject {
		return line, false, fmt.Errorf("prepare entry: not an object")
	}
	p := &preparation{Persist: rules, put: put}
	out := entry.JSON(line)
	if rules.Sealed {
		out = dropCovered(out)
	}
	out = jsonedit.Walk(out, jsonedit.Visitor{Enter: p.enter, Leave: p.recount})
	if !p.full.Empty() {
		out = addFull(out, p.full.Value())
	}
	return out, !bytes.Equal(out, line), nil
}

// concerns reports whether anything may be done to the line, without reading it
// as JSON: no program writes a name with escapes. It goes from quote to quote,
// once, because every entry that is appended comes by here.
func (p Persist) concerns(line []byte) bool {
	if p.Limit > 0 && len(line) > p.Limit {
		return true
	}
	images := p.Images != NoImages
	large := images && len(line) > p.MinImage
	signed, native := false, false
	for {
		quote := bytes.IndexByte(line, '"')
		if quote < 0 {
			return false
		}
		line = line[quote+1:]
		switch {
		case images && named(line, "image_url"), large && named(line, "data"), large && named(line, "image_generation_call"):
			return true
		case p.Sealed && named(line, "thinkingSignature"):
			signed = true
		case p.Sealed && named(line, nativeHistory):
			native = true
		}
		for _, name := range p.Drop {
			if named(line, name) {
				return true
			}
		}
		if signed && native {
			return true
		}
	}
}

// named reports whether the text behind a quote is name and another quote.
func named(text []byte, name string) bool {
	return len(text) > len(name) && text[0] == name[0] && text[len(name)] == '"' && string(text[:len(name)]) == name
}

// preparation is one walk over a line.
type preparation struct {
	Persist
	put  Put
	full jsonedit.Array
	// cuts are the texts that were cut, by where they began.
	cuts map[*byte]entry.JSON
}

func (p *preparation) enter(at *jsonedit.Step, v []byte) ([]byte, jsonedit.Action) {
	if at.Index < 0 && slices.Contains(p.Drop, at.Key) && at.Parent != nil {
		return nil, jsonedit.Drop
	}
	switch jsonedit.Kind(v) {
	case jsontext.KindBeginObject:
		if key := p.imageMember(at, v); key != "" {
			return p.image(v, key)
		}
		if p.Sealed && isSealed(at, v) {
			return nil, jsonedit.Keep
		}
	case jsontext.KindString:
		return p.text(at, v), jsonedit.Keep
	}
	return nil, jsonedit.Into
}

// image returns the object with the base64 of its member key as a reference.
func (p *preparation) image(v entry.JSON, key string) (entry.JSON, jsonedit.Action) {
	text, _ := jsonedit.Text(v, key)
	data, ok := decodeBase64(text)
	if !ok {
		return nil, jsonedit.Into
	}
	ext := ""
	if p.Typed && key == "data" {
		mime, _ := jsonedit.Text(v, "mimeType")
		ext = imageExt(mime)
	}
	ref, ok := p.keep(data, ext)
	if !ok {
		return nil, jsonedit.Keep
	}
	return jsonedit.Set(v, key, jsonedit.Quoted(ref)), jsonedit.Keep
}

// text returns the string as it is stored, nil for as it is.
func (p *preparation) text(at *jsonedit.Step, v entry.JSON) entry.JSON {
	if p.Images != NoImages && key(at) == "image_url" {
		if url, _ := jsonedit.String(v); isDataURL(url) {
			if ref, ok := p.keep([]byte(url), ""); ok {
				return jsonedit.Quoted(ref)
			}
			return nil
		}
	}
	if p.Limit == 0 || len(v) <= p.Limit || jsonedit.UnitsRaw(v) <= p.Limit {
		return nil
	}
	signature := isSignature(key(at))
	if signature && !p.EmptySignatures {
		return nil
	}
	whole, _ := jsonedit.String(v)
	ref, ok := p.keep([]byte(whole), "")
	if !ok {
		return nil
	}
	var o jsonedit.Object
	p.full.Add(o.Add("path", path(at)).String("ref", ref).Value())
	if signature {
		return jsonedit.Quoted("")
	}
	cut := jsonedit.Concat(jsonedit.CutUnits(v, p.Limit-jsonedit.Units(Notice)), jsonedit.Quoted(Notice))
	if p.cuts == nil {
		p.cuts = map[*byte]entry.JSON{}
	}
	p.cuts[&v[0]] = cut
	return cut
}

// keep puts bytes into the blob store and reports whether they are there.
func (p *preparation) keep(data []byte, ext string) (ref string, ok bool) {
	if p.put == nil {
		return "", false
	}
	ref, err := p.put(data, ext)
	return ref, err == nil
}

// recount gives an object that changed the number of lines of its content, where
// it tells one.
func (p *preparation) recount(at *jsonedit.Step) (member string, v []byte) {
	count, _ := at.Get("lineCount")
	if jsonedit.Kind(count) != jsontext.KindNumber {
		return "", nil
	}
	content, _ := at.Get("content")
	if jsonedit.Kind(content) != jsontext.KindString {
		return "", nil
	}
	if cut, ok := p.cuts[&content[0]]; ok {
		content = jsontext.Value(cut)
	}
	text, ok := jsonedit.String(content)
	if !ok {
		return "", nil
	}
	return "lineCount", jsonedit.IntValue(int64(strings.Count(text, "\n") + 1))
}

// addFull adds what was cut to the entry's cambium member.
func addFull(line, full entry.JSON) entry.JSON {
	own := object(line, "cambium")
	if before, ok := jsonedit.Get(own, "full"); ok {
		var all jsonedit.Array
		for _, list := range []entry.JSON{before, full} {
			for e := range jsonedit.Elements(list) {
				all.Add(e)
			}
		}
		full = all.Value()
	}
	return jsonedit.Set(line, "cambium", jsonedit.Set(own, "full", full))
}

// A Cut is a string of an entry that was cut for its length.
type Cut struct {
	// Path leads to the string: names of members, and elements as decimal
	// numbers.
	Path []string
	// Ref is the reference to the blob that holds its whole text.
	Ref string
}

// Cuts returns what [Prepare] cut in an entry's line, nil if nothing. References
// that are none are left out.
func Cuts(line []byte) []Cut {
	full, _ := jsonedit.Path(line, "cambium", "full")
	var all []Cut
	for e := range jsonedit.Elements(full) {
		ref, _ := jsonedit.Text(e, "ref")
		if !IsRef(ref) {
			continue
		}
		c := Cut{Ref: ref}
		steps, _ := jsonedit.Get(e, "path")
		for s := range jsonedit.Elements(steps) {
			if name, ok := jsonedit.String(s); ok {
				c.Path = append(c.Path, name)
			} else {
				c.Path = append(c.Path, string(s))
			}
		}
		all = append(all, c)
	}
	return all
}

// IsRef reports whether s refers to a blob: the prefix and exactly 64 lower-case
// hexadecimal digits.
func IsRef(s string) bool {
	if len(s) != len(refPrefix)+64 || s[:len(refPrefix)] != refPrefix {
		return false
	}
	for _, c := range []byte(s[len(refPrefix):]) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// path returns the way to a value as an array of names and numbers.
func path(at *jsonedit.Step) entry.JSON {
	var steps [][]byte
	for ; at != nil && at.Parent != nil; at = at.Parent {
		if at.Index >= 0 {
			steps = append(steps, jsonedit.IntValue(int64(at.Index)))
		} else {
			steps = append(steps, jsonedit.Quoted(at.Key))
		}
	}
	slices.Reverse(steps)
	return new(jsonedit.Array).Add(steps...).Value()
}

// key returns the name under which a value stands: its own, or for an element
// that of the array, which is how the programs pass it on.
func key(at *jsonedit.Step) string {
	for at.Index >= 0 && at.Parent != nil {
		at = at.Parent
	}
	return at.Key
}

// isHeader reports whether the line is a session header.
func isHeader(line entry.JSON) bool {
	return typeOf(line) == entry.Session.String()
}
