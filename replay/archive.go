package replay

import (
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// Limits of an archive of images in a compaction (omp 18.2.3): how many
// characters of images are sent along, and from what size on an archive of the
// old kind is sent without any.
const (
	archiveBudget    = 3_000_000
	oldArchiveFrames = 16
	oldArchiveText   = 250_000
	oldArchiveLost   = 1_000_000
)

// What stands between the parts of an archive.
const (
	imagesFollow  = "\n-------------- images of the middle part follow\n"
	imagesBefore  = "-------------- images of the middle part end here\n"
	middleMissing = "\n-------------- the middle part is not included\n"
)

// archive is the older conversation that a compaction keeps as text at both
// ends and images in the middle.
type archive struct {
	frames     []entry.JSON
	text       string
	head, tail string
	lost       float64
}

// readArchive returns the archive of a compaction, nil when it has none.
func readArchive(preserved entry.JSON) *archive {
	raw, _ := jsonedit.Get(preserved, "snapcompact")
	if jsonedit.Kind(raw) != '{' {
		return nil
	}
	a := &archive{}
	frames, _ := jsonedit.Get(raw, "frames")
	for f := range jsonedit.Elements(frames) {
		data, _ := jsonedit.Text(f, "data")
		_, typed := jsonedit.Text(f, "mimeType")
		if data != "" && typed && hasNumbers(f, "cols", "rows", "chars") {
			a.frames = append(a.frames, f)
		}
	}
	a.text, _ = jsonedit.Text(raw, "text")
	a.head, _ = jsonedit.Text(raw, "textHead")
	a.tail, _ = jsonedit.Text(raw, "textTail")
	if lost, ok := jsonedit.Get(raw, "truncatedChars"); ok {
		a.lost, _ = jsonedit.Number(lost)
	}
	if len(a.frames) == 0 && a.text == "" && a.head == "" && a.tail == "" {
		return nil
	}
	return a
}

func hasNumbers(obj entry.JSON, keys ...string) bool {
	for _, key := range keys {
		v, _ := jsonedit.Get(obj, key)
		if jsonedit.Kind(v) != '0' {
			return false
		}
	}
	return true
}

// archiveBlocks returns the archive of a compaction as blocks, oldest first,
// and its images alone; nil for none. Texts between the parts are our own.
func archiveBlocks(preserved entry.JSON) (blocks, images entry.JSON) {
	a := readArchive(preserved)
	if a == nil {
		return nil, nil
	}
	sent := a.affordable()
	some, missing := false, false
	for _, s := range sent {
		some, missing = some || s, missing || !s
	}
	var all, pictures jsonedit.Array
	text := plain(a.head)
	if a.head != "" && some {
		text += imagesFollow
	}
	gap := false
	for n, f := range a.frames {
		if !sent[n] {
			if !gap {
				text += middleMissing
			}
			gap = true
			continue
		}
		gap = false
		text = flush(&all, text)
		image := frameBlock(f)
		all.Add(image)
		pictures.Add(image)
	}
	if a.tail != "" {
		switch {
		case some:
			text += imagesBefore
		case a.lost > 0 && !missing:
			text += middleMissing
		}
		text += plain(a.tail)
	}
	flush(&all, text)
	if !all.Empty() {
		blocks = all.Value()
	}
	if !pictures.Empty() {
		images = pictures.Value()
	}
	return blocks, images
}

// flush adds text as a block, if there is any, and returns none.
func flush(all *jsonedit.Array, text string) string {
	if text != "" {
		all.Add(textBlock(text))
	}
	return ""
}

func frameBlock(f entry.JSON) entry.JSON {
	var o jsonedit.Object
	o.String("type", "image")
	pass(&o, f, "data")
	pass(&o, f, "mimeType")
	if detail, _ := jsonedit.Text(f, "detail"); detail != "" {
		pass(&o, f, "detail")
	}
	return o.Value()
}

// affordable says of each image whether it is sent along: the newest first, as
// long as they fit.
func (a *archive) affordable() []bool {
	budget, total, old := archiveBudget, 0, false
	for _, f := range a.frames {
		total += frameUnits(f)
		_, font := jsonedit.Get(f, "font")
		_, variant := jsonedit.Get(f, "variant")
		old = old || !font && !variant
	}
	many := len(a.frames) >= oldArchiveFrames
	source := max(jsonedit.Units(a.text), jsonedit.Units(a.head)+jsonedit.Units(a.tail))
	if old && (many || total >= archiveBudget) &&
		(many || a.lost >= oldArchiveLost || source >= oldArchiveText) {
		budget = 0
	}
	sent := make([]bool, len(a.frames))
	for n := len(a.frames) - 1; n >= 0; n-- {
		if size := frameUnits(a.frames[n]); size <= budget {
			budget -= size
			sent[n] = true
		}
	}
	return sent
}

func frameUnits(f entry.JSON) int {
	data, _ := jsonedit.Get(f, "data")
	return jsonedit.UnitsRaw(data)
}

// plain turns the text of an archive into ordinary text: a full block stands
// for the end of a line, SO and SI for ink.
func plain(text string) string {
	return strings.NewReplacer("\u2588", "\n", "\x0e", "", "\x0f", "").Replace(text)
}
