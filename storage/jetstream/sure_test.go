//go:build share

package jetstream_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cambium-dev/cambium/internal/natstest"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
)

// A server that is the leader no more does not find what is there: nobody is told
// that there is no such log, nor that a directory is none, and what is to be
// renamed or removed is.
func TestMissingByDeposed(t *testing.T) {
	p := newProxy(t, shared.Port)
	direct := open(t, shared.URL(), jetstream.Options{Stream: streamOf(t)})
	s := open(t, natstest.URLTo(p.port()), jetstream.Options{Stream: streamOf(t)})
	is := func(name string) error {
		info, err := direct.Stat(t.Context(), name)
		if err == nil && !info.IsLog() {
			err = fmt.Errorf("it is no log: %v", info.Mode)
		}
		return err
	}
	steps := []struct {
		what string
		do   func(name string) error
		then func(name string) error // what is seen by the leader afterwards
	}{
		{"open", func(name string) error {
			log, err := s.Open(t.Context(), name, storage.Write)
			if err != nil {
				return err
			}
			return log.Close()
		}, is},
		{"stat", func(name string) error {
			_, err := s.Stat(t.Context(), name)
			return err
		}, is},
		{"stat of a directory", func(name string) error {
			info, err := s.Stat(t.Context(), name[:len(name)-len("/log")])
			if err == nil && !info.Mode.IsDir() {
				err = errors.New("it is no directory")
			}
			return err
		}, is},
		{"prefix", func(name string) error {
			data, err := s.ReadPrefix(t.Context(), name, 100)
			if err == nil && string(data) != "start\n" {
				err = fmt.Errorf("read %q", data)
			}
			return err
		}, is},
		{"rename", func(name string) error { return s.Rename(t.Context(), name, name+"-new") },
			func(name string) error { return is(name + "-new") }},
		{"remove", func(name string) error { return s.Remove(t.Context(), name) },
			func(name string) error {
				if err := is(name); !errors.Is(err, storage.ErrNotExist) {
					return fmt.Errorf("it is still there: %v", err)
				}
				return nil
			}},
	}
	for _, step := range steps {
		for skip := range 3 {
			for blind := 1; blind < 6; blind++ {
				name := fmt.Sprintf("/%s/%d-%d/log", step.what, skip, blind)
				log, _ := create(t, direct, name)
				if err := log.Close(); err != nil {
					t.Fatal(err)
				}
				d := &deposed{skip: skip, blind: blind}
				p.turn(d.bend)
				err := step.do(name)
				p.turn(nil)
				if err != nil {
					t.Errorf("%s, after %d answers of the leader %d of another one: %v", step.what, skip, blind, err)
				}
				if err := step.then(name); err != nil {
					t.Errorf("%s, after %d and %d: %v", step.what, skip, blind, err)
				}
			}
		}
	}
	// What is not there is said not to be, soon.
	p.turn(nil)
	for _, err := range []error{
		func() error { _, err := s.Open(t.Context(), "/none", storage.Read); return err }(),
		func() error { _, err := s.Stat(t.Context(), "/none"); return err }(),
		func() error { _, err := s.ReadPrefix(t.Context(), "/none", 1); return err }(),
		s.Rename(t.Context(), "/none", "/other"), s.Remove(t.Context(), "/none"),
	} {
		if !errors.Is(err, storage.ErrNotExist) {
			t.Errorf("of what is not there: %v", err)
		}
	}
}

// A user who may only read is told what the server says, and disturbs nobody.
func TestMissingToReaders(t *testing.T) {
	server := newServer(t, natstest.Config{NoAuth: true, Lines: []string{
		"accounts {", "  A {", "    jetstream: enabled", "    users: [",
		fmt.Sprintf("      { user: %q, password: %q }", natstest.User, natstest.Password),
		`      { user: "reader", password: "reader", permissions { publish { deny: ["reader.>"] }, subscribe: ">" } }`,
		"    ]", "  }", "}",
	}})
	url := server.URL() + "?stream=READER"
	create(t, open(t, url, jetstream.Options{}), "/a")
	reader := open(t, fmt.Sprintf("nats://reader:reader@127.0.0.1:%d?stream=READER", server.Port), jetstream.Options{})
	for range 3 {
		if _, err := reader.Stat(t.Context(), "/none"); !errors.Is(err, storage.ErrNotExist) {
			t.Errorf("of what is not there: %v", err)
		}
		if _, err := reader.Stat(t.Context(), "/a"); err != nil {
			t.Errorf("of what is there: %v", err)
		}
	}
}
