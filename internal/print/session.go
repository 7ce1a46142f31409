// Package print is how values look that a command shows: as text that fits the terminal,
// and as JSON. It is given values and a console, and decides nothing else.
//
// Times are ISO-8601 in UTC with milliseconds in JSON; an absent value is an absent key.
package print

import (
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/work"
)

// PathForm is a session at a new place.
type PathForm struct {
	ID     string `json:"id"`
	Path   string `json:"path"`
	Parent string `json:"parentSession,omitzero"`
	Report any    `json:"report,omitzero"`
}

// Placed is the result of a command that made a session or moved one.
func Placed(w work.Whereabouts) console.Result {
	return console.Result{Path: w.Path, JSON: PathForm{ID: w.ID, Path: w.Path, Parent: w.Parent}}
}

// jsonRow is a session as --json prints it.
type jsonRow struct {
	Path         string         `json:"path"`
	ID           string         `json:"id"`
	Agent        string         `json:"agent"`
	CWD          string         `json:"cwd"`
	Title        string         `json:"title,omitzero"`
	Created      string         `json:"created,omitzero"`
	Modified     string         `json:"modified"`
	MessageCount int            `json:"messageCount"`
	FirstMessage string         `json:"firstMessage"`
	Size         int64          `json:"size"`
	Status       string         `json:"status"`
	Parent       string         `json:"parentSession,omitzero"`
	Usage        *catalog.Usage `json:"usage,omitzero"`
	Busy         []jsonHolder   `json:"busy,omitempty"`
	Damaged      bool           `json:"damaged,omitzero"`
	Tips         []string       `json:"tips,omitempty"` // of other live branches
	Text         *string        `json:"allMessagesText,omitzero"`
}

// Row is a session as --json prints it; text says that all that was said is part of it.
func Row(info catalog.Info, text bool) any {
	r := jsonRow{
		Path: info.Path, ID: info.ID, Agent: string(info.Agent), CWD: info.CWD, Title: info.Title,
		Created: Time(info.Created), Modified: Time(info.Modified),
		MessageCount: info.Messages, FirstMessage: info.FirstMessage,
		Size: info.Size, Status: string(info.Status), Parent: info.Parent,
		Damaged: info.Damaged, Tips: info.Tips,
	}
	if info.Usage != (catalog.Usage{}) {
		r.Usage = &info.Usage
	}
	for _, h := range info.Busy {
		r.Busy = append(r.Busy, jsonHolder{h.Program, h.PID, h.Host, h.Terminal, Time(h.Since), h.Sure, h.Why})
	}
	if text {
		r.Text = &info.Text
	}
	return r
}

// jsonHolder is one who has a session open for writing, or seems to.
type jsonHolder struct {
	Program  string `json:"program,omitzero"`
	PID      int    `json:"pid,omitzero"`
	Host     string `json:"host,omitzero"`
	Terminal string `json:"terminal,omitzero"`
	Since    string `json:"since,omitzero"`
	Sure     bool   `json:"sure"`
	Why      string `json:"why"`
}

// Time returns a time as JSON has it, "" for the zero time.
func Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return jsonedit.FormatTime(t.UnixMilli())
}
