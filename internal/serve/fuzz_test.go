package serve_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/serve"
)

// FuzzHTTP gives the handler any request. It always answers, with JSON where it
// speaks JSON-RPC, and never from outside of the homes.
func FuzzHTTP(f *testing.F) {
	for _, body := range []string{
		message("listAll", "{}"), message("inMemory", "{}"), "[" + message("create", `{"cwd":"/w"}`) + "," + message("getTree", `{"handle":"1"}`) + "]",
		message("open", `{"path":"/etc/passwd"}`), message("open", `{"path":"../../x.jsonl","reinitialize":true}`),
		message("restoreState", `{"handle":"1","state":{"path":"/etc/x.jsonl"}}`), `{"jsonrpc":"2.0","method":"inMemory"}`,
		`{"jsonrpc":"2.0","method":"$/cancel","params":{"id":1}}`, "", "[]", "[[]]", "nonsense", "\xff", "{}", `"x"`, strings.Repeat("[", 2000),
	} {
		f.Add("POST", "/rpc", "", "", body, true)
	}
	f.Add("GET", "/events", "", "1", "", true)
	f.Add("GET", "/events", "x", "-1", "", true)
	f.Add("DELETE", "/rpc", "x", "", "", true)
	f.Add("GET", "/metrics", "", "", "", true)
	f.Add("GET", "/metrics", "", "", "", false)
	f.Add("GET", "/rpc/../healthz", "", "", "", false)
	o, shared := options(f)
	secret := shared.file(shared.home+"/secret.jsonl", sample)
	o.Limits.Body = 1 << 16
	f.Fuzz(func(t *testing.T, method, path, session, last, body string, known bool) {
		x := *shared
		x.t = t
		h, halt := serve.Handler(o)
		defer halt()
		req, err := http.NewRequestWithContext(t.Context(), method, "http://h/", strings.NewReader(strings.ReplaceAll(body, "SECRET", secret)))
		if err != nil {
			return
		}
		req.URL.Path = path
		req.Header["Cambium-Session"], req.Header["Last-Event-Id"] = []string{session}, []string{last}
		token := x.read + "x"
		if known {
			token = x.write
		}
		req.Header.Set("Authorization", "Bearer "+token)
		if strings.Contains(path, "events") { // ends when its reader does
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			req = req.WithContext(ctx)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		got := w.Body.String()
		if w.Header().Get("Content-Type") == "application/json" && jsonl.Valid([]byte(got)) != nil {
			t.Errorf("answered %q", got)
		}
		if !known && strings.Contains(got, `"result"`) {
			t.Errorf("answered without a token: %q", got)
		}
		if strings.Join(x.lines(secret), "\n")+"\n" != sample {
			t.Errorf("the secret: %q", got)
		}
	})
}
