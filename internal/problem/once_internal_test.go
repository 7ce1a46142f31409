package problem

import "testing"

// TestOnce: a message names a path once, and keeps what says something else.
func TestOnce(t *testing.T) {
	for text, want := range map[string]string{
		`create session "/a/b": create "/a/b": append to log "/a/b": mkdir /a: permission denied`: `create session "/a/b": mkdir /a: permission denied`,
		`save branch: write session "/a": append to log "/a": write /a: no space left on device`:  `save branch: write session "/a": no space left on device`,
		`move "/a" to the trash: rename log "/a" to "/b": open /a: permission denied`:             `move "/a" to the trash: rename log "/a" to "/b": permission denied`,
		`write session "/a: \"b": append to log "/a: \"b": no`:                                    `write session "/a: \"b": append to log "/a: \"b": no`,
		`undo: there is nothing to take back`:                                                     `undo: there is nothing to take back`,
		`interrupted`:                                                                             `interrupted`,
		``:                                                                                        ``,
	} {
		if got := once(text); got != want {
			t.Errorf("%s\nis told as %s\nwant       %s", text, got, want)
		}
	}
}
