package tour

import (
	_ "embed" // the conversations
	"fmt"
	"strconv"
	"strings"
	"time"
)

//go:embed conversations.txt
var conversations string

// Now returns when the tour is taken: conversations.txt counts its days back
// from then.
func Now() time.Time { return time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC) }

// A step is one line of a conversation.
type step struct {
	verb string
	// text is what was said, the name or the mark; more what comes behind "|"
	// or "=>".
	text, more string
	at         time.Time
}

// A conversation is what is to be written as one session, and as forks of it.
type conversation struct {
	agent, dir string
	begun      time.Time
	steps      []step
}

// parse reads conversations, and says when each entry was written.
func parse(text string) ([]conversation, error) {
	var all []conversation
	var clock time.Time
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		verb, rest, _ := strings.Cut(line, " ")
		words := strings.Fields(rest)
		var err error
		switch {
		case verb == "session" && len(words) == 4:
			clock, err = day(words[2], words[3])
			all = append(all, conversation{agent: words[0], dir: words[1], begun: clock})
		case len(all) == 0:
			err = fmt.Errorf("no session has begun")
		default:
			s := stepOf(verb, rest)
			if verb == "fork" && len(words) == 3 {
				s.text = words[0]
				clock, err = day(words[1], words[2])
			}
			clock = clock.Add(20 * time.Second)
			if verb == "user" {
				clock = clock.Add(4 * time.Minute)
			}
			s.at = clock
			last := &all[len(all)-1]
			last.steps = append(last.steps, s)
		}
		if err != nil {
			return nil, fmt.Errorf("read conversations, line %d: %w", n+1, err)
		}
	}
	return all, nil
}

// stepOf reads what stands behind a verb.
func stepOf(verb, rest string) step {
	between := " | "
	if verb == "tool" {
		between = " => "
	}
	s := step{verb: verb}
	s.text, s.more, _ = strings.Cut(strings.ReplaceAll(rest, `\n`, "\n"), between)
	return s
}

// day returns a time of a day that is so many days before the tour.
func day(days, clock string) (time.Time, error) {
	n, err := strconv.Atoi(days)
	if err != nil {
		return time.Time{}, fmt.Errorf("read days %q: want a number", days)
	}
	t, err := time.Parse("15:04", clock)
	if err != nil {
		return time.Time{}, fmt.Errorf("read time %q: %w", clock, err)
	}
	now := Now()
	return time.Date(now.Year(), now.Month(), now.Day()-n, t.Hour(), t.Minute(), 0, 0, time.UTC), nil
}
