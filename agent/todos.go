package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// todosType is the custom type of Cambium's own todos, todoEditType that of
	// omp 18.2.3.
	todosType    = "cambium.todos"
	todoEditType = "user_todo_edit"
	todosFile    = "todos.json"
	maxTodos     = 1 << 20 // bytes of a todos.json that are read
)

// Todos are the todos of a session, in the shape of whoever wrote them.
type Todos struct {
	// From is the entry that they stand in, "" for those of a file or none.
	From entry.ID
	// JSON is the list as it is stored, nil for none.
	JSON entry.JSON
}

// TodosNow reads the todos again, as the session has them where it stands: what was
// appended since it was gone to, and what a fork, a branch or a compaction made of
// it, counts. [Agent.Todos] returns them from then on. The error is ErrNoSession, or
// that of reading.
func (a *Agent) TodosNow() (Todos, error) {
	s := a.Session()
	if s == nil {
		return Todos{}, ErrNoSession
	}
	now, err := a.todosOf(s)
	if err != nil {
		return Todos{}, fmt.Errorf("read todos of %q: %w", s.Path(), err)
	}
	a.put(func(p *place) {
		if p.s == s {
			p.todos = now
		}
	})
	return now, nil
}

// todosOf finds the newest todos on the leaf's branch: a custom entry
// "cambium.todos", an omp "user_todo_edit" or the details of a tool's result;
// else those of the artifacts' todos.json, which is only read.
func (a *Agent) todosOf(s *session.Session) (Todos, error) {
	list, path := s.Snapshot()
	for _, i := range slices.Backward(path) {
		if !list.Todos(i) && (list.Kind(i) != entry.Custom || list.Ref(i) != todosType && list.Ref(i) != todoEditType) {
			continue
		}
		line, err := list.Load(i)
		if err != nil {
			return Todos{}, err
		}
		if found := todosIn(list.Kind(i), line); found != nil {
			id, _ := list.ID(i)
			return Todos{From: id, JSON: bytes.Clone(found)}, nil
		}
	}
	return a.todosBeside(s)
}

// todosIn returns the todos of one entry, nil for none.
func todosIn(k entry.Kind, line entry.JSON) entry.JSON {
	if k != entry.Custom {
		found, ok := jsonedit.Path(line, "message", "details", "todos")
		if !ok || jsonedit.IsNull(found) {
			return nil
		}
		return found
	}
	found, _ := jsonedit.Get(line, "data")
	return found
}

// todosBeside reads the todos that are kept beside a session. What is there and
// is no JSON is passed over, and said.
func (a *Agent) todosBeside(s *session.Session) (Todos, error) {
	dir := s.ArtifactDir()
	if dir == "" {
		return Todos{}, nil
	}
	fsys := vfs.Under(a.fs(), filepath.Dir(dir))
	path := filepath.Join(dir, todosFile)
	info, err := fsys.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Todos{}, nil
	}
	var data []byte
	if err == nil && !info.Regular() {
		err = errors.New("not a regular file")
	}
	if err == nil && info.Size > maxTodos {
		err = errors.New("too large")
	}
	if err == nil {
		data, err = vfs.ReadFile(fsys, path, maxTodos)
	}
	if err == nil && !jsontext.Value(data).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
		err = errors.New("not JSON")
	}
	if err != nil {
		a.say("The todos beside the session cannot be read: " + err.Error())
		return Todos{}, nil
	}
	return Todos{JSON: data}, nil
}
