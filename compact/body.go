package compact

import (
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/replay"
	"github.com/go-json-experiment/json/jsontext"
)

// A Result is a summary that a model, an extension or a person made. Fields that
// the dialect does not write are passed over.
type Result struct {
	// Summary is the text, as Join gives it.
	Summary string
	// ShortSummary is a line for lists. omp, xcsh, cambium.
	ShortSummary string
	// FirstKeptEntryID is where an extension wants to keep from; "" is as
	// prepared.
	FirstKeptEntryID entry.ID
	// Details is free data; nil tells the files, as the programs do.
	Details jsontext.Value
	// FromExtension says whether an extension made it; nil does not say.
	FromExtension *bool
	// PreserveData is free data of an extension. omp, xcsh, cambium.
	PreserveData jsontext.Value
	// Usage is what the summary cost. pi.
	Usage jsontext.Value
	// Method is how it was made and Warning what there is to say. omp.
	Method, Warning string
	// Time is when it was made, milliseconds since 1970: the timestamp of the
	// system message that is repeated. pi.
	Time int64
}

// Body returns the entry to append: a compaction in the dialect's spelling.
func (p *Preparation) Body(r Result) *entry.CompactionBody {
	b := &entry.CompactionBody{
		Summary: r.Summary, FirstKeptEntryID: p.FirstKeptEntryID,
		TokensBefore: int64(p.TokensBefore), Details: r.Details,
	}
	if r.FirstKeptEntryID != "" {
		b.FirstKeptEntryID = r.FirstKeptEntryID
	}
	if b.Details == nil {
		b.Details = p.Files.Details()
	}
	if p.rules.fromHook {
		b.FromHook = r.FromExtension
	} else {
		b.FromExtension = r.FromExtension
		b.ShortSummary, b.PreserveData = r.ShortSummary, r.PreserveData
	}
	if p.rules.usage {
		b.Usage = r.Usage
	}
	if p.rules.System {
		b.SystemMessage = p.system.message(r.Time)
	}
	if p.rules.outcome {
		after := int64(p.TokensAfter(r.Summary))
		b.TokensAfter, b.Method, b.Warning = &after, r.Method, r.Warning
	}
	return b
}

// JSON returns the preparation as hooks of the programs know it (pi 0.87.1,
// omp 18.2.3, session_before_compact): firstKeptEntryId, messagesToSummarize,
// turnPrefixMessages, isSplitTurn, tokensBefore, previousSummary where there is
// one, fileOps and settings.
func (p *Preparation) JSON() jsontext.Value {
	messages := func(msgs []replay.Message) jsontext.Value {
		var a jsonedit.Array
		for _, m := range msgs {
			a.Add(m.JSON)
		}
		return a.Value()
	}
	var files, settings, o jsonedit.Object
	files.Add("read", jsonedit.Strings(p.Files.Read...)).Add("written", jsonedit.Strings(p.Files.Written...))
	files.Add("edited", jsonedit.Strings(p.Files.Edited...))
	settings.Bool("enabled", !p.Settings.Disabled).Int("reserveTokens", int64(p.Settings.ReserveTokens()))
	settings.Int("keepRecentTokens", int64(p.Settings.KeepTokens()))
	o.String("firstKeptEntryId", p.FirstKeptEntryID)
	o.Add("messagesToSummarize", messages(p.Summarize)).Add("turnPrefixMessages", messages(p.Prefix))
	o.Bool("isSplitTurn", p.Split).Int("tokensBefore", int64(p.TokensBefore))
	if p.Previous >= 0 {
		o.String("previousSummary", p.PreviousSummary)
	}
	return o.Add("fileOps", files.Value()).Add("settings", settings.Value()).Value()
}
