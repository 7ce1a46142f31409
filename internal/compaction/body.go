package compaction

import (
	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/replay"
)

// Body returns the entry to append: a compaction in the dialect's spelling.
func (p *Preparation) Body(r compact.Result) *entry.CompactionBody {
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
func (p *Preparation) JSON() entry.JSON {
	messages := func(msgs []replay.Message) entry.JSON {
		var a jsonedit.Array
		for _, m := range msgs {
			a.Add(m.JSON)
		}
		return a.Value()
	}
	var files, settings, o jsonedit.Object
	files.Add("read", jsonedit.Strings(p.Files.Read...)).Add("written", jsonedit.Strings(p.Files.Written...))
	files.Add("edited", jsonedit.Strings(p.Files.Edited...))
	settings.Bool("enabled", !p.Settings.Disabled).Int("reserveTokens", int64(reserveTokens(p.Settings)))
	settings.Int("keepRecentTokens", int64(keepTokens(p.Settings)))
	o.String("firstKeptEntryId", p.FirstKeptEntryID)
	o.Add("messagesToSummarize", messages(p.Summarize)).Add("turnPrefixMessages", messages(p.Prefix))
	o.Bool("isSplitTurn", p.Split).Int("tokensBefore", int64(p.TokensBefore))
	if p.Previous >= 0 {
		o.String("previousSummary", p.PreviousSummary)
	}
	return o.Add("fileOps", files.Value()).Add("settings", settings.Value()).Value()
}
