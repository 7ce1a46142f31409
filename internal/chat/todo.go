package chat

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/session"
)

// todosOf reads todos in the shapes that programs write: a list of them, or of
// phases with tasks.
func todosOf(raw message.JSON) []chatview.Todo {
	var all []chatview.Todo
	list := raw
	if inner, ok := jsonedit.Get(raw, "phases"); ok {
		list = inner
	} else if inner, ok := jsonedit.Get(raw, "todos"); ok {
		list = inner
	}
	if jsonedit.Kind(list) != '[' {
		return nil
	}
	for item := range jsonedit.Elements(list) {
		if tasks, ok := jsonedit.Get(item, "tasks"); ok && jsonedit.Kind(tasks) == '[' {
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

// A todoList is what is to be done in the session.
type todoList struct {
	*desk
	face *face

	all []chatview.Todo
}

// read shows the todos that the session was gone to with.
func (l *todoList) read() {
	l.all = todosOf(l.agent().Todos().JSON)
	_ = l.face.show(chatview.Todos{All: l.all}) // it asks for nothing
}

// change shows the todos, adds one, or says that one is done.
func (l *todoList) change(arguments string) tea.Cmd {
	all := append([]chatview.Todo(nil), l.all...)
	word, rest, _ := strings.Cut(arguments, " ")
	switch {
	case arguments == "":
		return l.page()
	case word == "done" && rest != "":
		n, err := strconv.Atoi(strings.TrimSpace(rest))
		if err != nil || n < 1 || n > len(all) {
			return l.face.complain(fmt.Sprintf("there is no todo %q; /todo lists them", rest))
		}
		all[n-1].State = "completed"
	default:
		all = append(all, chatview.Todo{Text: arguments, State: "pending"})
	}
	l.all = all
	return tea.Batch(l.face.show(chatview.Todos{All: all}), l.aside("keep todos", func(ctx context.Context, s *session.Session) (string, error) {
		_, err := s.Append(ctx, &entry.CustomBody{CustomType: "cambium.todos", Data: todosJSON(all)})
		return "kept the todos", err
	}))
}

func (l *todoList) page() tea.Cmd {
	page := chatview.Page{Title: "Todos"}
	for i, t := range l.all {
		page.Lines = append(page.Lines, fmt.Sprintf("%3d  %-12s %s", i+1, t.State, t.Text))
	}
	if len(l.all) == 0 {
		page.Lines = []string{"There are none. /todo TEXT adds one, /todo done N says that one is done."}
	}
	return l.face.show(page)
}

// todosJSON is how Cambium keeps todos.
func todosJSON(all []chatview.Todo) message.JSON {
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
