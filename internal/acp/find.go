package acp

import (
	"context"
	"encoding/base64"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/coder/acp-go-sdk"
)

// list tells a page of the sessions there are, the newest first: those of all
// homes, or of one directory.
func (s *server) list(ctx context.Context, p acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	r := acp.ListSessionsResponse{Sessions: []acp.SessionInfo{}}
	o := s.o.Catalog
	if p.Cwd != nil && *p.Cwd != "" {
		if !filepath.IsAbs(*p.Cwd) {
			return r, badParams("cwd %q: want an absolute path", *p.Cwd)
		}
		o.CWD = filepath.Clean(*p.Cwd)
	}
	var after cursor
	if p.Cursor != nil && *p.Cursor != "" {
		var ok bool
		if after, ok = parseCursor(*p.Cursor); !ok {
			return r, badParams("cursor %q: it is none that a list gave", *p.Cursor)
		}
	}
	look := s.o.Offline.Look()
	rows, err := catalog.ReadRows(ctx, o)
	if err != nil || rows.Len() == 0 {
		return r, s.unlessAway(look, err)
	}
	r.Meta = s.aside(look)
	ids := map[string]int{}
	for i := range rows.Len() {
		ids[rows.Info(i).ID]++
	}
	for i := after.next(rows); i < rows.Len(); i++ {
		info := rows.Info(i)
		if !filepath.IsAbs(info.CWD) {
			continue // the protocol cannot say it
		}
		if len(r.Sessions) == s.o.Page {
			r.NextCursor = acp.Ptr(after.String())
			break
		}
		after = cursor{info.Modified, info.Path}
		r.Sessions = append(r.Sessions, row(info, ids[info.ID] == 1))
	}
	return r, nil
}

// listed is what a list tells of a session beside what the protocol knows.
type listed struct {
	Agent    string  `json:"agent"`
	Path     string  `json:"path"`
	Messages int     `json:"messages"`
	Size     int64   `json:"size"`
	Model    string  `json:"model,omitempty"`
	Cost     float64 `json:"cost,omitempty"`
	Damaged  bool    `json:"damaged,omitempty"`
}

// row is a session as a list tells it. One whose id others have is named by its
// path.
func row(info catalog.Info, alone bool) acp.SessionInfo {
	x := acp.SessionInfo{
		SessionId: acp.SessionId(info.ID), Cwd: info.CWD,
		Meta: map[string]any{"cambium": listed{
			Agent: string(info.Agent), Path: info.Path, Messages: info.Messages, Size: info.Size, Model: info.Model,
			Cost: info.Usage.Cost, Damaged: info.Damaged,
		}},
	}
	if !alone || info.ID == "" {
		x.SessionId = acp.SessionId(info.Path)
	}
	if title := catalog.ShortName(info.Title, info.FirstMessage, info.ID, info.Path); title != "" {
		x.Title = &title
	}
	if !info.Modified.IsZero() {
		x.UpdatedAt = acp.Ptr(jsonedit.FormatTime(info.Modified.UnixMilli()))
	}
	return x
}

// find returns the session that a client means by an id: its own id, or its path
// where a list gave that. Only what a list could give is found; of several with one
// id that of the directory counts.
func (s *server) find(ctx context.Context, id acp.SessionId, cwd string) (catalog.Info, error) {
	arg := string(id)
	o := s.o.Catalog
	if !catalog.IsPath(arg) {
		o.CWD = cwd
		info, err := catalog.Resolve(ctx, arg, false, o)
		if err == nil && info.ID != arg { // an editor has whole ids
			err = &catalog.NotFound{Arg: arg}
		}
		return info, err
	}
	o.Empty = true
	for info, err := range catalog.Scan(ctx, o) {
		if err != nil {
			return info, err
		}
		if info.Path == arg {
			return info, nil
		}
	}
	return catalog.Info{}, &catalog.NotFound{Arg: arg}
}

// directory checks the working directory that a client gives.
func directory(cwd string) (string, error) {
	if !filepath.IsAbs(cwd) || strings.ContainsRune(cwd, 0) {
		return "", badParams("cwd %q: want an absolute path", cwd)
	}
	cwd = filepath.Clean(cwd)
	if info, err := vfs.OS().Stat(cwd); err != nil || !info.Mode.IsDir() {
		return "", badParams("cwd %q: there is no such directory", cwd)
	}
	return cwd, nil
}

// sameDir reports whether two names are of one directory.
func (s *server) sameDir(x, y string) bool {
	if filepath.Clean(x) == filepath.Clean(y) {
		return true
	}
	one, err := vfs.OS().Stat(x)
	other, also := vfs.OS().Stat(y)
	return err == nil && also == nil && one.SameFile(other)
}

// A cursor says which session was the last of a page.
type cursor struct {
	at   time.Time
	path string
}

// String returns the cursor as a client gets it, which makes nothing of it.
func (c cursor) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(c.at.UnixNano(), 10) + " " + c.path))
}

// parseCursor reads what String wrote.
func parseCursor(text string) (c cursor, ok bool) {
	all, err := base64.RawURLEncoding.DecodeString(text)
	at, path, ok := strings.Cut(string(all), " ")
	n, wrong := strconv.ParseInt(at, 10, 64)
	if err != nil || wrong != nil || !ok {
		return c, false
	}
	return cursor{at: time.Unix(0, n), path: path}, true
}

// next returns the first row behind the cursor. A session that was changed since
// is among the first, and not met again.
func (c cursor) next(rows *catalog.Rows) int {
	if c.path == "" {
		return 0
	}
	first := rows.Len()
	for i := range rows.Len() {
		info := rows.Info(i)
		switch {
		case info.Modified.Equal(c.at) && info.Path == c.path:
			return i + 1
		case info.Modified.Before(c.at) && i < first:
			first = i
		}
	}
	return first
}
