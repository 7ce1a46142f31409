package session_test

import (
	"path/filepath"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/layout"
)

// env is a machine whose home and state lie in dir.
func env(dir string) layout.Env {
	return layout.Env{
		Home: filepath.Join(dir, "home"), TempDir: "/nowhere/tmp", Cwd: filepath.Join(dir, "work"),
		Getenv: func(name string) string {
			return map[string]string{"CAMBIUM_STATE_DIR": filepath.Join(dir, "state")}[name]
		},
	}
}

func user(text string) entry.Body {
	return &entry.MessageBody{Message: new(jsonedit.Object).String("role", "user").
		String("content", text).Int("timestamp", 1767323998000).Value()}
}

func answer(text string) entry.Body {
	block := new(jsonedit.Object).String("type", "text").String("text", text).Value()
	return &entry.MessageBody{Message: new(jsonedit.Object).String("role", "assistant").
		Add("content", new(jsonedit.Array).Add(block).Value()).
		String("api", "messages").String("provider", "prov").String("model", "m").
		Add("usage", []byte(`{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.5}}`)).
		String("stopReason", "stop").Int("timestamp", 1767323999000).Value()}
}
