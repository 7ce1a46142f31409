package conversion

import (
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
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
		t.line = jsonedit.Delete(t.line, "model")
		t.set("provider", jsonedit.Quoted(provider))
		t.set("modelId", jsonedit.Quoted(id))
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
	t.line = jsonedit.Delete(t.line, "provider", "modelId", "role")
	t.set("model", jsonedit.Quoted(name))
	t.note(Model, true)
}

// thinking makes a level a string for pi, where the others have null for none.
func (t *translation) thinking() {
	level := t.get("thinkingLevel")
	if !t.to.Replay.ConfiguredThinking && t.from.Replay.ConfiguredThinking {
		if configured := t.get("configured"); configured != nil && !jsonedit.IsNull(configured) && string(configured) != string(level) {
			t.note(Field, false)
		}
	}
	if t.to.SplitModel && !t.from.SplitModel && jsonedit.Kind(level) != jsontext.KindString {
		t.set("thinkingLevel", jsonedit.Quoted("off"))
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
	word := entry.JSON("null")
	switch jsonedit.Kind(tier) {
	case jsontext.KindBeginObject:
		for _, family := range []string{"openai", "anthropic", "google"} {
			if name, _ := jsonedit.Text(tier, family); name != "" {
				word = jsonedit.Quoted(name)
				break
			}
		}
	case jsontext.KindString:
		name, _ := jsonedit.String(tier)
		if name != "openai-only" && name != "claude-only" {
			return
		}
		word = jsonedit.Quoted("priority")
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
		t.line = jsonedit.Delete(t.line, "name")
		t.set("type", jsonedit.Quoted(entry.TitleChange.String()))
		t.set("title", jsonedit.Quoted(name))
		t.set("source", jsonedit.Quoted("user"))
		t.note(Title, true)
	case kind == entry.TitleChange && t.to.NameByEntry && t.from.TitleChange:
		t.set("type", jsonedit.Quoted(entry.SessionInfo.String()))
		t.set("name", jsonedit.Quoted(t.text("title")))
		t.line = jsonedit.Delete(t.line, "title", "source")
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
		t.set("type", jsonedit.Quoted(entry.ModelUsage.String()))
		t.set("purpose", jsonedit.Quoted(t.text("kind")))
		t.set("api", jsonedit.Quoted("unknown"))
		t.set("stopReason", jsonedit.Quoted("stop"))
		t.line = jsonedit.Delete(t.line, "kind")
	case kind == entry.ModelUsage && t.from.Configured && t.to.ContextEdit:
		t.set("type", jsonedit.Quoted(entry.Usage.String()))
		t.set("kind", jsonedit.Quoted(t.text("purpose")))
		t.line = jsonedit.Delete(t.line, "purpose")
	case kind == entry.Usage && t.from.ContextEdit, kind == entry.ModelUsage && t.from.Configured:
		t.note(Kind, false)
		return
	default:
		return
	}
	t.note(Accounting, true)
}
