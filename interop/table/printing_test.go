//go:build linux

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestOracleNotesWhenItIsAsked(t *testing.T) {
	o := &oracle{came: make(chan time.Time, 1)}
	web := httptest.NewServer(o)
	defer web.Close()
	if r, err := http.Get(web.URL + "/v1/models"); err != nil || r.Body.Close() != nil || r.StatusCode != http.StatusNotFound || len(o.came) != 0 {
		t.Errorf("a list of models: %v, noted %d", err, len(o.came))
	}
	for range 2 { // one more than is kept
		r, err := http.Post(web.URL+"/v1/chat/completions", "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(r.Body)
		if err != nil || r.Body.Close() != nil || !strings.Contains(string(said), greeting) || !strings.HasSuffix(string(said), "data: [DONE]\n\n") {
			t.Errorf("%s, %v", said, err)
		}
	}
	if len(o.came) != 1 {
		t.Errorf("noted %d", len(o.came))
	}
}
