package secret_test

import (
	"testing"

	"github.com/cambium-dev/cambium/internal/secret"
)

func TestSpoken(t *testing.T) {
	for argument, want := range map[string]string{
		"nats://u:word@h:1":      "nats://…@h:1",
		"nats://u:?word@h":       "nats://…@h",
		"//u:wo@rd@h/x":          "//…@h/x",
		"postgres:u:word@h":      "postgres:…@h",
		"/home/w/file:/u:word@h": "/home/w/file:…@h",
		"u:word@h/x":             "u:…@h/x",
		"nats://word@h":          "nats://…@h",
		"postgres://h/d":         "postgres://h/d",
		"/home/ada@work/dir":     "/home/ada@work/dir",
		"":                       "",
	} {
		if got := secret.Spoken(argument); got != want {
			t.Errorf("%q: %q, want %q", argument, got, want)
		}
	}
}
