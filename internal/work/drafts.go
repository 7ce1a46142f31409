package work

import (
	"context"
	"errors"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/tend"
)

// Draft is that of package tend.
type Draft = tend.Draft

// NoDraft is that of package tend.
type NoDraft = tend.NoDraft

// ManyDrafts is that of package tend.
type ManyDrafts = tend.ManyDrafts

// Homeless is that of package tend.
type Homeless = tend.Homeless

// UnderWay is that of package tend.
type UnderWay = tend.UnderWay

// Own is that of package tend.
type Own = tend.Own

// Drafts returns the drafts whose sessions do not hold them, the newest first.
func (l *Library) Drafts(ctx context.Context) ([]state.Kept, error) {
	all, err := tend.Drafts(ctx, l.Journal())
	if err != nil {
		return nil, l.RecordError("", err)
	}
	return all, nil
}

// Describe reads what a draft holds.
func (l *Library) Describe(ctx context.Context, k state.Kept) tend.Draft {
	return tend.Describe(ctx, k, l.Session())
}

// draft returns the draft that arg names, as [tend.FindDraft] says.
func (l *Library) draft(ctx context.Context, arg string) (state.Kept, error) {
	k, err := tend.FindDraft(ctx, l.Journal(), arg, l.Dir)
	return k, l.draftError("", err)
}

// draftError returns what went wrong with a draft: what is typed as it is.
func (l *Library) draftError(path string, err error) error {
	var none *tend.NoDraft
	var many *tend.ManyDrafts
	var homeless *tend.Homeless
	var open *tend.UnderWay
	if err == nil || errors.As(err, &none) || errors.As(err, &many) || errors.As(err, &homeless) || errors.As(err, &open) {
		return err
	}
	return l.RecordError(path, err)
}

// RestoreDraft makes the draft that arg names the session that it was to be, where that
// belongs or at a path. The error may be that of a name, a [*tend.Homeless] or a
// [*tend.UnderWay].
func (l *Library) RestoreDraft(ctx context.Context, arg, to string) (w Whereabouts, err error) {
	k, err := l.draft(ctx, arg)
	if err != nil {
		return w, err
	}
	r, err := tend.RestoreDraft(ctx, l.Journal(), k, l.Absolute(to))
	if err != nil {
		return w, l.draftError(k.File, err)
	}
	if r.Note != "" {
		l.note(r.Now, "the session is here: "+r.Note)
	}
	return Whereabouts{ID: k.ID, Path: r.Now}, nil
}

// DiscardDraft moves the draft that arg names to the trash. The error may be that of a
// name, or a [*tend.UnderWay].
func (l *Library) DiscardDraft(ctx context.Context, arg string) (o state.Operation, err error) {
	k, err := l.draft(ctx, arg)
	if err != nil {
		return o, err
	}
	o, err = tend.DiscardDraft(ctx, l.Journal(), k)
	return o, l.draftError(k.File, err)
}
