package replay

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// interjection is what is put before words that were said while the agent
// worked.
const interjection = "<system-notice>\nThe user said this while you were at work. It comes before what was asked earlier " +
	"wherever the two disagree; see that what you are doing still serves it.\n</system-notice>\n"

// prunedText stands for a pruned tool result without text (dialects' word for
// it, shown in sessions).
const prunedText = "[Output truncated]"

// pruned applies the rule for pruned tool results.
func (c *converter) pruned(msg entry.JSON) entry.JSON {
	if c.rules.Pruned == spelling.PrunedAsStored {
		return msg
	}
	if at := member(msg, "prunedAt"); at == nil || jsonedit.IsNull(at) {
		return msg
	}
	content := member(msg, "content")
	var text strings.Builder
	if s, ok := jsonedit.String(content); ok {
		text.WriteString(s)
	}
	for b := range jsonedit.Elements(content) {
		if isBlock(b, message.TypeText) {
			s, _ := jsonedit.Text(b, "text")
			text.WriteString(s)
		}
	}
	all := text.String()
	if all == "" {
		all = prunedText
	}
	return jsonedit.Set(msg, "content", c.prunedContent(content, textBlock(all)))
}

// prunedContent returns the content with text in place of its text blocks.
func (c *converter) prunedContent(content, text entry.JSON) entry.JSON {
	var out, rest jsonedit.Array
	placed := false
	for b := range jsonedit.Elements(content) {
		switch {
		case !isBlock(b, message.TypeText):
			out.Add(b)
			rest.Add(b)
		case !placed:
			placed = true
			out.Add(text)
		}
	}
	switch {
	case c.rules.Pruned == spelling.PrunedText:
		return new(jsonedit.Array).Add(text).Value()
	case placed:
		return out.Value()
	}
	return new(jsonedit.Array).Add(text).Add(slices.Collect(jsonedit.Elements(rest.Value()))...).Value()
}

// custom sends a message of an extension or a hook. One whose content is neither
// text nor blocks says nothing and is dropped.
func (c *converter) custom(msg entry.JSON, role string) bool {
	content := member(msg, "content")
	text, isText := jsonedit.String(content)
	if isText {
		content = new(jsonedit.Array).Add(textBlock(text)).Value()
	} else if jsonedit.Kind(content) != jsontext.KindBeginArray {
		return true
	}
	customType, _ := jsonedit.Text(msg, "customType")
	attribution := member(msg, "attribution")
	if jsonedit.IsNull(attribution) || !c.rules.Attribution {
		attribution = nil
	}
	if who, _ := jsonedit.String(attribution); who == "user" && role == message.RoleCustom {
		switch {
		case slices.Contains(c.rules.Interjected, customType):
			return c.emit(outgoing{message.RoleUser, interjected(content, isText), attribution, msg}.value())
		case slices.Contains(c.rules.Spoken, customType):
			return c.emit(outgoing{message.RoleUser, content, attribution, msg}.value())
		}
	}
	if c.rules.Custom == spelling.CustomUser {
		return c.emit(outgoing{message.RoleUser, content, attribution, msg}.value())
	}
	return c.instruct(msg, content, attribution)
}

// instruct sends an extension's content as an instruction, its pictures apart.
func (c *converter) instruct(msg, content, attribution entry.JSON) bool {
	var texts, images jsonedit.Array
	for b := range jsonedit.Elements(content) {
		switch {
		case isBlock(b, message.TypeText):
			texts.Add(b)
		case isBlock(b, message.TypeImage):
			images.Add(b)
		}
	}
	if images.Empty() {
		return c.emit(outgoing{message.RoleDeveloper, content, attribution, msg}.value())
	}
	if !texts.Empty() && !c.emit(outgoing{message.RoleDeveloper, texts.Value(), attribution, msg}.value()) {
		return false
	}
	customType, _ := jsonedit.Text(msg, "customType")
	pictures := new(jsonedit.Array).Add(textBlock("Images attached to " + customType + "."))
	pictures.Add(slices.Collect(jsonedit.Elements(images.Value()))...)
	return c.emit(outgoing{message.RoleUser, pictures.Value(), attribution, msg}.value())
}

// interjected marks blocks as said while the agent worked: their texts joined by
// line feeds under a notice, then their pictures. Content without text is left
// alone; content that was a string is a string again.
func interjected(content entry.JSON, isText bool) entry.JSON {
	var texts []string
	var images [][]byte
	for b := range jsonedit.Elements(content) {
		switch {
		case isBlock(b, message.TypeText):
			s, _ := jsonedit.Text(b, "text")
			texts = append(texts, s)
		case isBlock(b, message.TypeImage):
			images = append(images, b)
		}
	}
	text := strings.Join(texts, "\n")
	if text != "" {
		text = interjection + text
	}
	if isText {
		return jsonedit.Quoted(text)
	}
	if text == "" {
		return content
	}
	return new(jsonedit.Array).Add(textBlock(text)).Add(images...).Value()
}

// files sends mentioned files.
func (c *converter) files(msg entry.JSON) bool {
	var plain, pictured, all []string
	var images [][]byte
	for file := range jsonedit.Elements(member(msg, "files")) {
		if jsonedit.Kind(file) != jsontext.KindBeginObject {
			continue
		}
		text := fileText(file)
		all = append(all, text)
		image := member(file, "image")
		if !truthy(image) {
			plain = append(plain, text)
			continue
		}
		pictured = append(pictured, text)
		images = append(images, image)
	}
	who := c.who("user")
	if c.rules.Files == spelling.FilesReminder {
		text := "<system-reminder>\n" + strings.Join(all, "\n\n") + "\n</system-reminder>"
		content := new(jsonedit.Array).Add(textBlock(text)).Add(images...)
		return c.emit(outgoing{message.RoleUser, content.Value(), who, msg}.value())
	}
	if len(plain) > 0 {
		content := new(jsonedit.Array).Add(textBlock(strings.Join(plain, "\n")))
		if !c.emit(outgoing{message.RoleDeveloper, content.Value(), who, msg}.value()) {
			return false
		}
	}
	if len(pictured) == 0 {
		return true
	}
	content := new(jsonedit.Array).Add(textBlock(strings.Join(pictured, "\n"))).Add(images...)
	return c.emit(outgoing{message.RoleUser, content.Value(), who, msg}.value())
}

// fileText lays out one file.
func fileText(file entry.JSON) string {
	path, _ := jsonedit.Text(file, "path")
	content, _ := jsonedit.Text(file, "content")
	if content != "" {
		content += "\n"
	}
	return "<file path=\"" + path + "\">\n" + content + "</file>"
}

// withoutUnfinished returns an assistant message without the reasoning at its
// end that is not signed, and without the blank texts after it.
func withoutUnfinished(msg entry.JSON) entry.JSON {
	blocks := slices.Collect(jsonedit.Elements(member(msg, "content")))
	end := len(blocks)
	for end > 0 && isBlock(blocks[end-1], message.TypeText) && blank(blocks[end-1], "text") {
		end--
	}
	start := end
	for start > 0 && isBlock(blocks[start-1], message.TypeThinking) &&
		!blank(blocks[start-1], "thinking") && !truthy(member(blocks[start-1], "thinkingSignature")) {
		start--
	}
	if start == end {
		return msg
	}
	return jsonedit.Set(msg, "content", new(jsonedit.Array).Add(blocks[:start]...).Value())
}

// blank reports whether the block's text is nothing but white space.
func blank(block entry.JSON, key string) bool {
	s, _ := jsonedit.Text(block, key)
	return strings.TrimSpace(s) == ""
}
