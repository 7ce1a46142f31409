package convert

import (
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/go-json-experiment/json/jsontext"
)

// model spells a model_change with provider and modelId for pi, with one name
// for the others.
func (t *translation) model() {
	if t.from.SplitModel == t.to.SplitModel {
		return
	}
	if t.to.SplitModel {
		provider, id, ok := strings.Cut(t.text("model"), "/")
		role := t.text("role")
		t.note(Model, true)
		if !ok || provider == "" || id == "" || role != "" && role != "default" {
			t.aside() // pi would take it for the model that answers
			return
		}
		t.line = splice.Delete(t.line, "model")
		t.set("provider", splice.Quoted(provider))
		t.set("modelId", splice.Quoted(id))
		return
	}
	provider, id := t.text("provider"), t.text("modelId")
	if provider == "" && id == "" {
		return
	}
	name := provider + "/" + id
	if provider == "" {
		name = id
	}
	t.line = splice.Delete(t.line, "provider", "modelId", "role")
	t.set("model", splice.Quoted(name))
	t.note(Model, true)
}

// thinking makes a level a string for pi, where the others have null for none.
func (t *translation) thinking() {
	level := t.get("thinkingLevel")
	if !t.to.Replay.ConfiguredThinking && t.from.Replay.ConfiguredThinking {
		if configured := t.get("configured"); configured != nil && !splice.IsNull(configured) && string(configured) != string(level) {
			t.note(Field, false)
		}
	}
	if t.to.SplitModel && !t.from.SplitModel && splice.Kind(level) != jsontext.KindString {
		t.set("thinkingLevel", splice.Quoted("off"))
		t.note(Thinking, true)
	}
}

// tier makes one word of a tier by family, for a program that reads words only;
// one that reads families reads words too.
func (t *translation) tier() {
	kind := entry.ServiceTierChange
	if !t.to.Replay.Acts.Has(kind) {
		t.meaning(kind)
		return
	}
	if t.from.Replay.Tier == t.to.Replay.Tier || t.to.Configured {
		return
	}
	tier := t.get("serviceTier")
	word := jsontext.Value("null")
	switch splice.Kind(tier) {
	case jsontext.KindBeginObject:
		for _, family := range []string{"openai", "anthropic", "google"} {
			if name, _ := splice.Text(tier, family); name != "" {
				word = splice.Quoted(name)
				break
			}
		}
	case jsontext.KindString:
		name, _ := splice.String(tier)
		if name != "openai-only" && name != "claude-only" {
			return
		}
		word = splice.Quoted("priority")
	default:
		return
	}
	t.set("serviceTier", word)
	t.note(Tier, true)
}

// title turns session_info and title_change into each other. Where a title is
// kept in the header alone, either stays as it is.
func (t *translation) title(kind entry.Kind) {
	switch {
	case kind == entry.SessionInfo && t.to.TitleChange:
		name := t.text("name")
		if name == "" {
			t.aside() // omp cannot take a title away
			t.note(Title, true)
			return
		}
		t.line = splice.Delete(t.line, "name")
		t.set("type", splice.Quoted(entry.TitleChange.String()))
		t.set("title", splice.Quoted(name))
		t.set("source", splice.Quoted("user"))
		t.note(Title, true)
	case kind == entry.TitleChange && t.to.NameByEntry && t.from.TitleChange:
		t.set("type", splice.Quoted(entry.SessionInfo.String()))
		t.set("name", splice.Quoted(t.text("title")))
		t.line = splice.Delete(t.line, "title", "source")
		t.note(Title, true)
	case kind == entry.SessionInfo && t.from.NameByEntry, kind == entry.TitleChange && t.from.TitleChange:
		t.note(Kind, false)
	}
}

// usage turns pi's account of tokens that were spent beside the conversation
// into omp's or the other way round.
func (t *translation) usage(kind entry.Kind) {
	switch {
	case kind == entry.Usage && t.from.ContextEdit && t.to.Configured:
		t.set("type", splice.Quoted(entry.ModelUsage.String()))
		t.set("purpose", splice.Quoted(t.text("kind")))
		t.set("api", splice.Quoted("unknown"))
		t.set("stopReason", splice.Quoted("stop"))
		t.line = splice.Delete(t.line, "kind")
	case kind == entry.ModelUsage && t.from.Configured && t.to.ContextEdit:
		t.set("type", splice.Quoted(entry.Usage.String()))
		t.set("kind", splice.Quoted(t.text("purpose")))
		t.line = splice.Delete(t.line, "purpose")
	case kind == entry.Usage && t.from.ContextEdit, kind == entry.ModelUsage && t.from.Configured:
		t.note(Kind, false)
		return
	default:
		return
	}
	t.note(Accounting, true)
}
