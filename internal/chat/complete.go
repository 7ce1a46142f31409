package chat

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/tui/chatview"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/replay"
)

// complete says what may stand in the place of a word.
func (c *choices) complete(w chatview.Complete) tea.Cmd {
	return func() tea.Msg {
		m := chatview.Choices{Seq: w.Seq}
		add := func(text, help string) {
			if strings.Contains(strings.ToLower(text), strings.ToLower(w.Word)) {
				m.All = append(m.All, chatview.Choice{Text: text, Help: help})
			}
		}
		switch w.Command {
		case "":
			m.All = files(c.ctx, c.dir(), w.Word)
		case "model":
			for _, known := range c.models.All() {
				if c.models.Available(replay.Model{Provider: known.Provider, ModelID: known.ID}) {
					add(known.Provider+"/"+known.ID, known.Name)
				}
			}
		case "thinking":
			for _, level := range c.levels() {
				add(level, "")
			}
		case "mode":
			add("none", "work")
			add("plan", "nothing is changed")
		case "move":
			m.All = directories(c.lib.Absolute(cmp.Or(w.Word, ".")), w.Word)
		case "resume":
			opt := c.lib.Catalog()
			opt.CWD = c.lib.Dir
			all, err := catalog.List(c.ctx, opt)
			if err != nil {
				return m
			}
			for _, info := range all[:min(len(all), 100)] {
				name := cmp.Or(info.Title, info.FirstMessage)
				if strings.Contains(strings.ToLower(info.ID+" "+name), strings.ToLower(w.Word)) {
					m.All = append(m.All, chatview.Choice{Text: info.ID, Help: name})
				}
			}
		}
		return m
	}
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
