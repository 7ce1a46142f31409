package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

// todosOf reads todos in the shapes that programs write: a list of them, or of
// phases with tasks.
func todosOf(raw jsontext.Value) []chatview.Todo {
	var all []chatview.Todo
	list := raw
	if inner, ok := jsonedit.Get(raw, "phases"); ok {
		list = inner
	} else if inner, ok := jsonedit.Get(raw, "todos"); ok {
		list = inner
	}
	if list.Kind() != '[' {
		return nil
	}
	for item := range jsonedit.Elements(list) {
		if tasks, ok := jsonedit.Get(item, "tasks"); ok && tasks.Kind() == '[' {
			all = append(all, todosOf(tasks)...)
			continue
		}
		if text, ok := jsonedit.String(item); ok {
			all = append(all, chatview.Todo{Text: text, State: "pending"})
			continue
		}
		t := chatview.Todo{State: "pending"}
		for _, key := range []string{"content", "text", "title", "task", "subject"} {
			if s, ok := jsonedit.Text(item, key); ok && t.Text == "" {
				t.Text = s
			}
		}
		if s, ok := jsonedit.Text(item, "status"); ok {
			t.State = s
		}
		if done, ok := jsonedit.Get(item, "done"); ok && string(done) == "true" {
			t.State = "completed"
		}
		if t.Text != "" {
			all = append(all, t)
		}
	}
	return all
}

// showTodos shows the todos that the session was gone to with.
func (c *chat) showTodos() {
	c.todos = todosOf(c.agent().Todos().JSON)
	_ = c.show(chatview.Todos{All: c.todos}) // it asks for nothing
}

// cmdTodo shows the todos, adds one, or says that one is done.
func (c *chat) cmdTodo(arguments string) tea.Cmd {
	all := append([]chatview.Todo(nil), c.todos...)
	word, rest, _ := strings.Cut(arguments, " ")
	switch {
	case arguments == "":
		return c.todoPage()
	case word == "done" && rest != "":
		n, err := strconv.Atoi(strings.TrimSpace(rest))
		if err != nil || n < 1 || n > len(all) {
			return c.tell1(fmt.Sprintf("there is no todo %q; /todo lists them", rest), true)
		}
		all[n-1].State = "completed"
	default:
		all = append(all, chatview.Todo{Text: arguments, State: "pending"})
	}
	c.todos = all
	return tea.Batch(c.show(chatview.Todos{All: all}), c.aside("keep todos", func(ctx context.Context, s *session.Session) (string, error) {
		_, err := s.Append(ctx, &entry.CustomBody{CustomType: "cambium.todos", Data: todosJSON(all)})
		return "kept the todos", err
	}))
}

func (c *chat) todoPage() tea.Cmd {
	page := chatview.Page{Title: "Todos"}
	for i, t := range c.todos {
		page.Lines = append(page.Lines, fmt.Sprintf("%3d  %-12s %s", i+1, t.State, t.Text))
	}
	if len(c.todos) == 0 {
		page.Lines = []string{"There are none. /todo TEXT adds one, /todo done N says that one is done."}
	}
	return c.show(page)
}

// todosJSON is how Cambium keeps todos.
func todosJSON(all []chatview.Todo) jsontext.Value {
	out := []byte{'['}
	for i, t := range all {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `{"content":`...)
		out = append(out, jsonedit.Quoted(t.Text)...)
		out = append(out, `,"status":`...)
		out = append(out, jsonedit.Quoted(t.State)...)
		out = append(out, '}')
	}
	return append(out, ']')
}

// directories returns the directories that a typed path may go on to.
func directories(full, typed string) []chatview.Choice {
	parent, begin := filepath.Split(full)
	if strings.HasSuffix(typed, "/") || typed == "" {
		parent, begin = full, ""
	}
	entries, err := vfs.OS().ReadDir(parent)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	before := typed[:strings.LastIndexByte(typed, '/')+1]
	var all []chatview.Choice
	for _, e := range entries {
		if e.Mode.IsDir() && strings.HasPrefix(e.Name, begin) && len(all) < mostFound {
			all = append(all, chatview.Choice{Text: before + e.Name + "/"})
		}
	}
	return all
}
