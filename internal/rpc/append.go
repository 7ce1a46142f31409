package rpc

import (
	"context"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/session"
)

func appendMethods() []method {
	all := appending()
	for i := range all {
		all[i].params = append(all[i].params, may("stored", flag))
	}
	return all
}

func appending() []method {
	return []method{
		{
			name: "append",
			says: "Appends any entry.", gives: isEntry, fails: []int{codeNotFound},
			on: appendBody, params: []param{need("body", object)}},
		{
			name: "appendMessage",
			says: "Appends a message.", gives: isEntry,
			on: appends(messageBody), params: []param{need("message", object)}},
		{
			name: "appendThinkingLevelChange",
			says: "Records a thinking level.", gives: isEntry,
			on: appends(thinkingBody), params: []param{need("thinkingLevel", textOrNull), may("configured", text)}},
		{
			name: "appendModelChange",
			says: "Records a model.", gives: isEntry,
			on: appends(modelBody), params: []param{
				may("provider", text), may("modelId", text), may("model", text), may("role", text),
			}},
		{
			name: "appendCompaction",
			says: "Appends a compaction.", gives: isEntry,
			on: appends(compactionBody), params: []param{
				need("summary", text), need("firstKeptEntryId", textOrNull), need("tokensBefore", count),
				may("shortSummary", text), may("details", anything),
				may("fromExtension", flag), may("fromHook", flag), may("preserveData", anything),
				may("tokensAfter", count), may("method", text), may("providerReplayThroughEntryId", text), may("usage", object),
			}},
		{
			name: "appendCustomEntry",
			says: "Appends state of an extension, which never reaches the model.", gives: isEntry,
			on: appends(customBody), params: []param{need("customType", text), may("data", anything)}},
		{
			name: "appendCustomMessageEntry",
			says: "Appends an extension's message, which reaches the model.", gives: isEntry,
			on: appends(customMessageBody), params: []param{
				need("customType", text), need("content", content), need("display", flag),
				may("details", anything), may("attribution", text).of("user", "agent"),
			}},
		{
			name: "appendSessionInfo",
			says: "Appends pi's entry for a name.", gives: isEntry,
			on: appendSessionInfo, params: []param{need("name", text)}},
		{
			name: "appendLabelChange",
			says: "Labels an entry, or takes its label off.", gives: isEntry, fails: []int{codeNotFound},
			on: appends(labelBody), params: []param{need("targetId", text), may("label", text)}},
		{
			name: "appendModeChange",
			says: "Records a mode.", gives: isEntry,
			on: appends(modeBody), params: []param{need("mode", text), may("data", anything)}},
		{
			name: "appendTtsrInjection",
			says: "Records rules that were injected.", gives: isEntry,
			on: appends(rulesBody), params: []param{need("injectedRules", texts)}},
		{
			name: "appendServiceTierChange",
			says: "Records a service tier.", gives: isEntry,
			on: appends(tierBody), params: []param{need("serviceTier", anything)},
		},
		{
			name: "appendContextEdit",
			says: "Changes what the model sees of an earlier entry.", gives: isEntry, fails: []int{codeNotFound},
			on: editContext, params: []param{need("targetId", text), need("replacement", anything)},
		},
		{
			name: "appendUsage",
			says: "Records what was spent beside the conversation (pi).", gives: isEntry,
			on: appends(usageBody), params: []param{need("kind", text), need("provider", text), need("model", text), need("usage", object), may("note", text)},
		},
		{
			name: "appendResetBoundary",
			says: "Begins the context anew (omp).", gives: isEntry,
			on: appends(func(*call) (entry.Body, error) { return &entry.ResetBoundaryBody{}, nil }),
		},
		{
			name: "appendCredentialPin",
			says: "Records which account served a provider (omp).", gives: isEntry,
			on: appends(pinBody), params: []param{need("provider", text), need("hash", text)},
		},
		{
			name: "appendSessionInit",
			says: "Records how a subagent was started.", gives: isEntry,
			on: appends(initBody), params: []param{
				need("systemPrompt", text), need("task", text), need("tools", texts), may("outputSchema", anything),
			}},
	}
}

// appends makes a method of what makes a body out of its parameters.
func appends(body func(c *call) (entry.Body, error)) func(context.Context, *call) (entry.JSON, error) {
	return func(ctx context.Context, c *call) (entry.JSON, error) {
		b, err := body(c)
		if err != nil {
			return nil, err
		}
		return c.append(ctx, b)
	}
}

// append answers with the id of the new entry. One that is in memory but not
// saved is an error that tells the id.
func (c *call) append(ctx context.Context, body entry.Body) (entry.JSON, error) {
	id, err := c.h.session.Append(ctx, body)
	return c.appended(id, err)
}

// appended answers with the id of an entry that was just appended, or with the entry.
func (c *call) appended(id entry.ID, err error) (entry.JSON, error) {
	if err != nil {
		return nil, c.h.unsaved(id, err)
	}
	if !c.args.flag("stored") {
		return jsonedit.Quoted(id), nil
	}
	e, err := c.h.session.Entry(id)
	return e.Raw(), err
}

func appendBody(ctx context.Context, c *call) (entry.JSON, error) {
	body, err := entry.ParseBody(c.args["body"])
	if err != nil {
		return nil, badParam("body", "%v", err)
	}
	return c.append(ctx, body)
}

func messageBody(c *call) (entry.Body, error) {
	message := c.args["message"]
	if _, ok := jsonedit.Text(message, "role"); !ok {
		return nil, badParam("message", "its role is not a string")
	}
	return &entry.MessageBody{Message: message}, nil
}

func thinkingBody(c *call) (entry.Body, error) {
	b := &entry.ThinkingLevelChangeBody{ThinkingLevel: c.args.textOrNil("thinkingLevel")}
	if c.args.has("configured") {
		b.Configured = c.args["configured"]
	}
	return b, nil
}

// modelBody takes a model as the one group of programs names it, or as the
// other does, and writes it as the session's own does.
func modelBody(c *call) (entry.Body, error) {
	a, rules := c.args, spelling.For(c.h.session.Dialect())
	switch {
	case a.has("model") && a.has("provider"), a.has("model") && a.has("modelId"):
		return nil, badParam("model", "it is given with provider or modelId, which say the same")
	case a.has("model"):
		provider, model, ok := strings.Cut(a.text("model"), "/")
		if !ok {
			provider, model = "", a.text("model")
		}
		return rules.ModelBody(provider, model, a.text("role")), nil
	case a.has("role"):
		return nil, badParam("role", "it goes with model")
	case !a.has("provider") && !a.has("modelId"):
		return nil, badParam("model", "missing: give it, or provider and modelId")
	case !a.has("provider"):
		return nil, badParam("provider", "missing")
	case !a.has("modelId"):
		return nil, badParam("modelId", "missing")
	}
	return rules.ModelBody(a.text("provider"), a.text("modelId"), ""), nil
}

func compactionBody(c *call) (entry.Body, error) {
	a := c.args
	b := &entry.CompactionBody{
		Summary: a.text("summary"), ShortSummary: a.text("shortSummary"),
		FirstKeptEntryID: a.text("firstKeptEntryId"), TokensBefore: a.count("tokensBefore"),
		Details: a["details"], PreserveData: a["preserveData"],
		Method: a.text("method"), ProviderReplayThroughEntryID: a.text("providerReplayThroughEntryId"), Usage: a["usage"],
	}
	if a.has("tokensAfter") {
		b.TokensAfter = new(int64)
		*b.TokensAfter = a.count("tokensAfter")
	}
	from, err := c.fromExtension()
	if spelling.For(c.h.session.Dialect()).FromHook {
		b.FromHook = from
	} else {
		b.FromExtension = from
	}
	return b, err
}

// fromExtension returns whether an extension made something, under either of
// its names; nil when nobody says. The session's dialect decides how it is
// written.
func (c *call) fromExtension() (*bool, error) {
	extension, hook := c.args.flagOrNil("fromExtension"), c.args.flagOrNil("fromHook")
	switch {
	case extension == nil:
		return hook, nil
	case hook != nil && *hook != *extension:
		return nil, badParam("fromHook", "it says otherwise than fromExtension, which means the same")
	}
	return extension, nil
}

func customBody(c *call) (entry.Body, error) {
	return &entry.CustomBody{CustomType: c.args.text("customType"), Data: c.args["data"]}, nil
}

func customMessageBody(c *call) (entry.Body, error) {
	return &entry.CustomMessageBody{
		CustomType: c.args.text("customType"), Content: c.args["content"], Display: c.args.flag("display"),
		Details: c.args["details"], Attribution: c.args.text("attribution"),
	}, nil
}

// appendSessionInfo names the session. Where a name is an entry (pi) it takes
// effect at once; elsewhere the entry is kept and names nothing.
func appendSessionInfo(ctx context.Context, c *call) (entry.JSON, error) {
	s := c.h.session
	name := spelling.For(s.Dialect()).Sanitize(c.args.text("name"))
	if !spelling.For(s.Dialect()).NameByEntry {
		return c.append(ctx, &entry.SessionInfoBody{Name: name})
	}
	if _, err := s.Rename(ctx, name, session.Title{}); err != nil {
		return nil, c.h.unsaved("", err)
	}
	id, _ := s.Leaf()
	return c.appended(id, nil)
}

func labelBody(c *call) (entry.Body, error) {
	return &entry.LabelBody{TargetID: c.args.text("targetId"), Label: c.args.text("label")}, nil
}

func modeBody(c *call) (entry.Body, error) {
	return &entry.ModeChangeBody{Mode: c.args.text("mode"), Data: c.args["data"]}, nil
}

func rulesBody(c *call) (entry.Body, error) {
	return &entry.TTSRInjectionBody{InjectedRules: c.args.texts("injectedRules")}, nil
}

func initBody(c *call) (entry.Body, error) {
	return &entry.SessionInitBody{
		SystemPrompt: c.args.text("systemPrompt"), Task: c.args.text("task"),
		Tools: c.args.texts("tools"), OutputSchema: c.args["outputSchema"],
	}, nil
}

func tierBody(c *call) (entry.Body, error) {
	return &entry.ServiceTierChangeBody{ServiceTier: c.args["serviceTier"]}, nil
}

// editContext has the programs' checks, and is of the session's own kind (D21).
func editContext(ctx context.Context, c *call) (entry.JSON, error) {
	id, err := c.h.session.EditContext(ctx, c.args.text("targetId"), c.args["replacement"])
	return c.appended(id, err)
}

func usageBody(c *call) (entry.Body, error) {
	a := c.args
	return &entry.UsageBody{
		UsageKind: a.text("kind"), Provider: a.text("provider"), Model: a.text("model"), Usage: a["usage"], Note: a.text("note"),
	}, nil
}

func pinBody(c *call) (entry.Body, error) {
	return &entry.CredentialPinBody{Provider: c.args.text("provider"), Hash: c.args.text("hash")}, nil
}
