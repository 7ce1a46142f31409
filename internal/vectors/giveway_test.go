package vectors_test

import "github.com/go-json-experiment/json/jsontext"

// A giveWay says that a part of a vector is not what Cambium does, to what it
// gives way, and what comes instead, in the form of the vector: placeholders
// stand for the same values in both. An error that begins with ~ is compared
// by its text.
type giveWay struct {
	reason  string
	instead jsontext.Value
}

// Reasons. A D-number is a decision of the design, a promise one of its seven,
// defect what the vector itself, or the description of the dialects, calls one;
// tolerant reading is that any dialect's spelling of a fact counts in any file.
const (
	d1       = "D1"  // nobody's directories are renamed
	d2       = "D2"  // opening to write migrates at once
	d3       = "D3"  // missing, empty, invalid
	d4       = "D4"  // sessions without a message are left out
	d5       = "D5"  // what a session answers to
	d6       = "D6"  // an explicit model change wins
	d8       = "D8"  // slots are kept, never begun
	d9       = "D9"  // the first write waits for an answer
	d12      = "D12" // whole texts are kept
	d18      = "D18" // every entry is reachable
	branches = "promise 4"
	damage   = "promise 5"
	appends  = "promise 3"
	private  = "promise 7"
	defect   = "defect"
	// published says that the program is not as the published text says.
	published = "published"
	tolerant  = "tolerant reading"
)

func giveWays() map[string]giveWay {
	all := map[string]giveWay{}
	for _, part := range []map[string]giveWay{piWays(), ompWays(), xcshWays(), listWays(), historyWays()} {
		for key, way := range part {
			all[key] = way
		}
	}
	return all
}
