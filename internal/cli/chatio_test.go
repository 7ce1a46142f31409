package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/internal/chat"
	"github.com/cambium-dev/cambium/internal/coder/wiretest"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/storage"
	memstore "github.com/cambium-dev/cambium/storage/memory"
)

// A heldStore is a store in memory that knows who has its logs open.
type heldStore interface {
	memstore.Store
	storage.Leaser
	powers.Taker
	powers.Surveyor
	powers.PrefixReader
}

// A sluice is a store whose logs answer nothing while it is shut.
type sluice struct {
	heldStore

	mu      sync.Mutex
	gate    chan struct{} // closed while the sluice is open; guarded by mu
	entered chan string   // what waits
}

func newSluice() *sluice {
	s := &sluice{heldStore: memstore.New(memstore.Options{}).(heldStore), gate: make(chan struct{}), entered: make(chan string, 100)}
	close(s.gate)
	return s
}

func (s *sluice) shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = make(chan struct{})
}

func (s *sluice) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.gate)
}

func (s *sluice) pass(what string) {
	s.mu.Lock()
	gate := s.gate
	s.mu.Unlock()
	select {
	case <-gate:
		return
	default:
	}
	select {
	case s.entered <- what:
	default: // enough are known
	}
	<-gate
}

func (s *sluice) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	s.pass("open")
	l, err := s.heldStore.Open(ctx, name, mode)
	if err != nil {
		return nil, err
	}
	return sluiceLog{l, s}, nil
}

func (s *sluice) List(ctx context.Context, prefix string) iter.Seq2[storage.Info, error] {
	s.pass("list")
	return s.heldStore.List(ctx, prefix)
}

type sluiceLog struct {
	storage.Log
	s *sluice
}

func (l sluiceLog) Append(ctx context.Context, after storage.Mark, lines [][]byte) (storage.Mark, error) {
	l.s.pass("append")
	return l.Log.Append(ctx, after, lines)
}

func (l sluiceLog) Read(ctx context.Context, from storage.Mark) iter.Seq2[storage.Line, error] {
	l.s.pass("read")
	return l.Log.Read(ctx, from)
}

func (l sluiceLog) Stat(ctx context.Context) (storage.Info, error) {
	l.s.pass("stat")
	return l.Log.Stat(ctx)
}

// A stage runs a chat as Bubble Tea does, but that it notices where Update waits.
type stage struct {
	t    *testing.T
	c    *chat.Conversation
	ctx  context.Context
	msgs chan tea.Msg
	work sync.WaitGroup
}

// mostWait is how long something may take that takes no time. It never passes
// where nothing is wrong.
const mostWait = time.Minute

func (s *stage) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	s.work.Go(func() {
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, one := range msg {
				s.run(one)
			}
		default:
			select {
			case s.msgs <- msg:
			case <-s.ctx.Done():
			}
		}
	})
}

// update gives the chat a message and fails if it does not come back.
func (s *stage) update(msg tea.Msg) {
	s.t.Helper()
	done := make(chan tea.Cmd)
	go func() {
		_, cmd := s.c.Update(msg)
		_ = s.c.View()
		done <- cmd
	}()
	select {
	case cmd := <-done:
		s.run(cmd)
	case <-time.After(mostWait):
		all := make([]byte, 1<<20)
		s.t.Fatalf("Update of %T waits:\n%s", msg, all[:runtime.Stack(all, true)])
	}
}

// settle takes messages until the screen shows a text.
func (s *stage) settle(text string) {
	s.t.Helper()
	for !strings.Contains(s.screen(), text) {
		select {
		case msg := <-s.msgs:
			s.update(msg)
		case <-time.After(mostWait):
			s.t.Fatalf("waited for %q in vain; the screen:\n%s", text, s.screen())
		}
	}
}

// take takes the messages that are there.
func (s *stage) take() {
	s.t.Helper()
	for {
		select {
		case msg := <-s.msgs:
			s.update(msg)
		default:
			return
		}
	}
}

func (s *stage) screen() string { return term.Safe(s.c.View().Content) }

func (s *stage) press(keys ...string) {
	s.t.Helper()
	codes := map[string]tea.KeyPressMsg{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "ctrl+r": {Code: 'r', Mod: tea.ModCtrl},
		"up": {Code: tea.KeyUp}, "pgup": {Code: tea.KeyPgUp}, "alt+up": {Code: tea.KeyUp, Mod: tea.ModAlt}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl},
	}
	for _, name := range keys {
		if k, ok := codes[name]; ok {
			s.update(k)
			s.take()
			continue
		}
		for _, r := range name {
			s.update(tea.KeyPressMsg{Code: r, Text: string(r)})
			s.take()
		}
	}
}

// newStage begins a chat whose session is in a store.
func newStage(t *testing.T, store storage.Store, replies ...wiretest.Reply) *stage {
	t.Helper()
	home := scratch.OwnDir(t)
	server := wiretest.New(t, replies...)
	path := filepath.Join(home, ".config/cambium/settings.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"model":"chat/test","providers":{"chat":{"api":"openai-completions","baseUrl":"%s/v1","keyEnv":"",
		"models":[{"id":"test","contextWindow":100000,"maxTokens":4000,"thinkingLevels":["off","high"]}]}}}`, server.URL)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var out bytes.Buffer
	a := newApp(System{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Env: []string{"HOME=" + home, "TERM=dumb"},
		Dir: home, Now: time.Now, Random: rand.Reader})
	a.lib.Scheme = "postgres"
	a.lib.Attach(ctx, &work.Shared{Store: store, Key: "memory", Close: func() error { return nil }})
	s := &stage{t: t, ctx: ctx, msgs: make(chan tea.Msg)}
	h := &chatHost{a: a, stderr: a.Stderr}
	var err error
	if s.c, err = chat.Begin(ctx, chat.Options{Library: a.lib, Host: h, Prompts: work.Prompts(a.lib)}, chatTerminal(a)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := s.c.Leave(ctx); err != nil {
			t.Errorf("close agent: %v", err)
		}
		stop()
		s.work.Wait()
	})
	s.run(s.c.Init())
	s.update(tea.WindowSizeMsg{Width: 100, Height: 40})
	s.settle("test ·")
	return s
}

// Whatever a person does while the store does not answer, and the session waits
// for it: keys are taken.
func TestKeysAreTakenWhileTheStoreDoesNotAnswer(t *testing.T) {
	store := newSluice()
	s := newStage(t, store, wiretest.Text("Two litres."), wiretest.Text("Beside the beans."), wiretest.Text("."), wiretest.Text("."), wiretest.Text("."))
	s.press("How much?", "enter")
	s.settle("Two litres.")
	s.settle("▌ How much?")
	store.shut()
	defer store.open()
	s.press("And where?", "enter")
	if what := <-store.entered; what == "" {
		t.Fatal("nothing waits")
	}
	for _, name := range chat.Commands() {
		switch name.Name {
		case "quit", "help":
			continue
		}
		for _, argument := range []string{"", " high", " done 1", " /tmp"} {
			s.press("ctrl+c", "/"+name.Name+argument, "enter", "enter")
		}
	}
	s.press("ctrl+c", "esc", "esc", "esc", "ctrl+r", "how", "enter", "up", "pgup", "alt+up", "!ls", "enter", "ctrl+c", "esc", "steer", "enter", "ctrl+c")
	s.press("every key is there")
	if !strings.Contains(s.screen(), "› every key is there") {
		t.Errorf("the editor does not hold what was typed:\n%s", s.screen())
	}
}
