//go:build share

package jetstream_test

import (
	"fmt"
	"regexp"
	"sync"
	"testing"

	"github.com/cambium-dev/cambium/internal/natstest"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/google/go-cmp/cmp"
)

// A deposed server answers in the place of the leader, as one does that was frozen
// and wakes: it refuses by what it knows, and has less than there is.
type deposed struct {
	mu        sync.Mutex
	refuse    int    // guarded by mu: how many publications it still refuses
	blind     int    // guarded by mu: how many questions for a message after the first of these
	skip      int    // guarded by mu: how many questions the leader answers before
	meanwhile func() // is called once, before the first refusal arrives
}

var (
	answer    = regexp.MustCompile(`MSG (\S+) (\d+) \d+\r\n(\{[^\r\n]*\})\r\n`)
	published = regexp.MustCompile(`^\{"stream":"[^"]*", ?"seq":\d+`)
	got       = regexp.MustCompile(`^\{"type":"io.nats.jetstream.api.v1.stream_msg_get_response","message"`)
)

func (d *deposed) bend(chunk []byte) []byte {
	return answer.ReplaceAllFunc(chunk, func(frame []byte) []byte {
		d.mu.Lock()
		defer d.mu.Unlock()
		part := answer.FindSubmatch(frame)
		var body string
		switch {
		case d.refuse > 0 && published.Match(part[3]):
			d.refuse--
			if d.meanwhile != nil {
				d.meanwhile()
				d.meanwhile = nil
			}
			body = `{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 1"},"stream":"S","seq":0}`
		case d.refuse == 0 && d.skip > 0 && got.Match(part[3]):
			d.skip--
			return frame
		case d.refuse == 0 && d.blind > 0 && got.Match(part[3]):
			d.blind--
			body = `{"type":"io.nats.jetstream.api.v1.stream_msg_get_response","error":{"code":404,"err_code":10037,"description":"no message found"}}`
		default:
			return frame
		}
		return fmt.Appendf(nil, "MSG %s %s %d\r\n%s\r\n", part[1], part[2], len(body), body)
	})
}

// left reports whether it has still to refuse something.
func (d *deposed) left() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.refuse > 0
}

// Appends take place, and a server that is the leader no more refuses each, and
// does not find it: every line is there once, whatever others append meanwhile.
func TestRefusedByDeposed(t *testing.T) {
	p := newProxy(t, shared.Port)
	direct := open(t, shared.URL(), jetstream.Options{Stream: streamOf(t)})
	s := open(t, natstest.URLTo(p.port()), jetstream.Options{Stream: streamOf(t)})
	for _, crowd := range []bool{false, true} {
		for skip := range 4 {
			for blind := range 6 {
				name := fmt.Sprintf("/%v-%d-%d", crowd, skip, blind)
				log, mark := create(t, s, name)
				other, at := reopen(t, direct, name)
				want := []string{"start"}
				for i := range 3 {
					own, others := fmt.Sprintf("0-%d", i), fmt.Sprintf("1-%d", i)
					want = append(want, own)
					d := &deposed{refuse: 1, skip: skip, blind: blind}
					if crowd {
						d.meanwhile = func() {
							var err error
							if at, err = appendAny(t.Context(), other, at, others); err != nil {
								t.Error(err)
							}
						}
						want = append(want, others)
					}
					p.turn(d.bend)
					var err error
					if mark, err = appendAny(t.Context(), log, mark, own); err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					p.turn(nil)
					if d.left() {
						t.Errorf("%s: nothing was refused", name)
					}
				}
				if diff := cmp.Diff(want, linesOf(t, other)); diff != "" {
					t.Errorf("%s: lines differ (-want +got):\n%s", name, diff)
				}
			}
		}
	}
}

// The same when a log is begun.
func TestBeginRefusedByDeposed(t *testing.T) {
	p := newProxy(t, shared.Port)
	s := open(t, natstest.URLTo(p.port()), jetstream.Options{Stream: streamOf(t)})
	for skip := range 4 {
		for blind := range 5 {
			name := fmt.Sprintf("/%d-%d", skip, blind)
			log, err := s.Open(t.Context(), name, storage.Create)
			if err != nil {
				t.Fatal(err)
			}
			d := &deposed{refuse: 1, skip: skip, blind: blind}
			p.turn(d.bend)
			mark, err := log.Append(t.Context(), storage.Mark{}, [][]byte{[]byte("0-0")})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			p.turn(nil)
			if d.left() {
				t.Errorf("%s: nothing was refused", name)
			}
			if _, err := log.Append(t.Context(), mark, [][]byte{[]byte("0-1")}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff([]string{"0-0", "0-1"}, linesOf(t, log)); diff != "" {
				t.Errorf("%s: lines differ (-want +got):\n%s", name, diff)
			}
		}
	}
}

// A server that is the leader no more says that a log is as it was: nobody is told
// that lines were lost, nor that the log is gone.
func TestAsItWas(t *testing.T) {
	p := newProxy(t, shared.Port)
	s := open(t, natstest.URLTo(p.port()), jetstream.Options{Stream: streamOf(t)})
	log, mark := create(t, s, "/a")
	var was string
	var left int
	gone := `{"type":"io.nats.jetstream.api.v1.stream_msg_get_response","error":{"code":404,"err_code":10037,"description":"no message found"}}`
	var mu sync.Mutex
	p.turn(func(chunk []byte) []byte {
		return answer.ReplaceAllFunc(chunk, func(frame []byte) []byte {
			mu.Lock()
			defer mu.Unlock()
			part := answer.FindSubmatch(frame)
			if !got.Match(part[3]) || was != "" && left == 0 {
				return frame
			}
			if was == "" {
				was = string(part[3])
				return frame
			}
			left--
			return fmt.Appendf(nil, "MSG %s %s %d\r\n%s\r\n", part[1], part[2], len(was), was)
		})
	})
	if info, err := log.Stat(t.Context()); err != nil || info.Mark != mark {
		t.Fatalf("mark is %s, %v; want %s", info.Mark, err, mark)
	}
	var err error
	for i := range 3 {
		if mark, err = log.Append(t.Context(), mark, [][]byte{fmt.Appendf(nil, "0-%d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	set := func(n int, body string) {
		mu.Lock()
		defer mu.Unlock()
		left = n
		if body != "" {
			was = body
		}
	}
	for _, step := range []struct {
		times int
		body  string
	}{{1, ""}, {1, gone}, {2, gone}, {3, gone}} {
		set(step.times, step.body)
		if now, err := log.Append(t.Context(), mark, nil); err != nil || now != mark {
			t.Errorf("%d answers %.20s: compared to %s: %s, %v", step.times, step.body, mark, now, err)
		}
		set(0, "")
	}
}
