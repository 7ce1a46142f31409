package rpc

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/session"
)

// keptMethods are those about what a session keeps beside its entries: artifacts,
// blobs, what was typed and not sent, directories.
func keptMethods() []method {
	directory := []param{need("directory", text)}
	return []method{
		{
			name: "getArtifactsDir",
			says: "The directory of the session's artifacts, which need not exist; null for none.", gives: isText.orNil(),
			on: func(_ context.Context, c *call) (entry.JSON, error) {
				return orNull(c.h.session.ArtifactDir()), nil
			},
		},
		{
			name: "getArtifacts",
			says: "The artifacts of the session.", gives: listOf(named("Artifact")),
			on: getArtifacts,
		},
		{
			name: "getArtifactPath",
			says: "The file of an artifact, null for none.", gives: isText.orNil(),
			on: artifactPath, params: []param{need("id", text)},
		},
		{
			name: "allocateArtifactPath",
			says: "Makes the file of a new artifact, to be written by the client; null in memory.", gives: named("NewArtifact").orNil(),
			writes: true, on: allocateArtifact, params: []param{need("toolType", text)},
		},
		{
			name: "saveArtifact",
			says: "Keeps a text as a new artifact, and answers its id; null in memory.", gives: isText.orNil(),
			writes: true, on: saveArtifact, params: []param{need("content", text), need("toolType", text)},
		},
		{
			name: "putBlob",
			says: "Keeps bytes as a blob, and answers how an entry refers to it.", gives: isText,
			writes: true, on: putBlob, params: []param{need("data", text), may("extension", text)},
		},
		{
			name: "getBlob",
			says: "The bytes behind a reference in an entry, checked.", gives: isText, fails: []int{codeNotFound},
			on: getBlob, params: []param{need("ref", text)},
		},
		{
			name: "saveDraft",
			says: "Keeps what was typed and not sent; an empty text takes it away.", gives: isNull,
			writes: true, on: saveDraft, params: []param{need("text", text)},
		},
		{
			name: "consumeDraft",
			says: "What saveDraft kept, which is kept no longer; null for nothing.", gives: isText.orNil(),
			writes: true, on: consumeDraft,
		},
		{
			name: "getAdditionalDirectories",
			says: "The directories of the workspace beside the working directory.", gives: listOf(isText),
			on: func(_ context.Context, c *call) (entry.JSON, error) {
				return jsonedit.Strings(c.h.session.Directories()...), nil
			},
		},
		{
			name: "addWorkspaceDirectory",
			says: "Adds a directory to the workspace, and answers its path; null when it was there.", gives: isText.orNil(),
			writes: true, on: directoryBy((*session.Session).AddDirectory), params: directory,
		},
		{
			name: "removeWorkspaceDirectory",
			says: "Takes a directory out of the workspace, and answers its path; null when it was not there.", gives: isText.orNil(),
			writes: true, on: directoryBy((*session.Session).RemoveDirectory), params: directory,
		},
		{
			name: "setAdditionalDirectories",
			says: "Makes these the directories of the workspace beside the working directory.", gives: isNull,
			writes: true, on: setDirectories, params: []param{need("directories", texts)},
		},
		{
			name: "discardEntryDurably",
			says: "Leads the branch past an entry, for good; the entry stays, off the branch.", gives: isNull,
			writes: true, on: func(ctx context.Context, c *call) (entry.JSON, error) {
				return null, c.h.unsaved("", c.h.session.Discard(ctx, c.args.text("entryId")))
			}, params: []param{need("entryId", text)},
		},
	}
}

func getArtifacts(_ context.Context, c *call) (entry.JSON, error) {
	all, err := c.h.session.Artifacts()
	var list jsonedit.Array
	for _, a := range all {
		var o jsonedit.Object
		list.Add(o.String("id", strconv.Itoa(a.N)).String("path", a.Path).Int("size", a.Size).Value())
	}
	return list.Value(), err
}

func artifactPath(_ context.Context, c *call) (entry.JSON, error) {
	n, err := strconv.Atoi(c.args.text("id"))
	if err != nil || n < 0 {
		return null, nil
	}
	path, err := c.h.session.Artifact(n)
	if errors.Is(err, session.ErrNotFound) {
		return null, nil
	}
	return jsonedit.Quoted(path), err
}

// newArtifact makes the next artifact with a content; false in memory.
func (c *call) newArtifact(ctx context.Context, content string) (id, path string, ok bool, err error) {
	s := c.h.session
	if s.ArtifactDir() == "" {
		return "", "", false, nil
	}
	path, w, err := s.NewArtifact(ctx, c.args.text("toolType"))
	if err != nil {
		return "", "", false, err
	}
	_, err = io.WriteString(w, content)
	err = errors.Join(err, w.Close())
	id, _, _ = strings.Cut(filepath.Base(path), ".")
	return id, path, true, err
}

func allocateArtifact(ctx context.Context, c *call) (entry.JSON, error) {
	id, path, ok, err := c.newArtifact(ctx, "")
	if !ok || err != nil {
		return null, err
	}
	return new(jsonedit.Object).String("id", id).String("path", path).Value(), nil
}

func saveArtifact(ctx context.Context, c *call) (entry.JSON, error) {
	id, _, ok, err := c.newArtifact(ctx, c.args.text("content"))
	if !ok || err != nil {
		return null, err
	}
	return jsonedit.Quoted(id), nil
}

func putBlob(ctx context.Context, c *call) (entry.JSON, error) {
	data, err := base64.StdEncoding.DecodeString(c.args.text("data"))
	if err != nil {
		return nil, badParam("data", "want base64: %v", err)
	}
	ref, err := c.h.session.PutBlob(ctx, data, c.args.text("extension"))
	return jsonedit.Quoted(ref), err
}

func getBlob(ctx context.Context, c *call) (entry.JSON, error) {
	data, err := c.h.session.Blob(ctx, c.args.text("ref"))
	if err != nil {
		return nil, err
	}
	return jsonedit.Quoted(base64.StdEncoding.EncodeToString(data)), nil
}

func saveDraft(ctx context.Context, c *call) (entry.JSON, error) {
	return null, c.h.unsaved("", c.h.session.SaveEditor(ctx, c.args.text("text")))
}

func consumeDraft(ctx context.Context, c *call) (entry.JSON, error) {
	text, ok, err := c.h.session.TakeEditor(ctx)
	if !ok || err != nil {
		return null, err
	}
	return jsonedit.Quoted(text), nil
}

// directoryBy makes a method of what changes the directories by one.
func directoryBy(do func(*session.Session, context.Context, string) (string, error)) func(context.Context, *call) (entry.JSON, error) {
	return func(ctx context.Context, c *call) (entry.JSON, error) {
		path, err := do(c.h.session, ctx, c.args.text("directory"))
		return orNull(path), c.h.unsaved("", err)
	}
}

func setDirectories(ctx context.Context, c *call) (entry.JSON, error) {
	return null, c.h.unsaved("", c.h.session.SetDirectories(ctx, c.args.texts("directories")))
}
