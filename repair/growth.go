package repair

import (
	"errors"
	"fmt"
	"iter"

	"github.com/cambium-dev/cambium/storage"
)

// errOther says that lines are not those that a plan was made of.
var errOther = errors.New("the lines are others")

// other is the error for that: the file is to be looked at again.
func other() error { return fmt.Errorf("%w: %w", errOther, &storage.Changed{}) }

// own yields the lines that the plan was made of, without those that others appended
// since. The error is other if they are not those any more.
func (p *plan) own(all iter.Seq2[storage.Line, error]) iter.Seq2[storage.Line, error] {
	return func(yield func(storage.Line, error) bool) {
		n := 0
		for line, err := range p.checked(all) {
			if n++; n > p.lines && err == nil || !yield(line, err) {
				return
			}
		}
	}
}

// checked yields all lines, and other as an error where the first of them are not
// those that the plan was made of. What others append behind them stays as it is.
func (p *plan) checked(all iter.Seq2[storage.Line, error]) iter.Seq2[storage.Line, error] {
	return func(yield func(storage.Line, error) bool) {
		n := 0
		var sum check
		for line, err := range all {
			if n++; err == nil && n <= p.lines {
				sum.add(line)
			}
			if err == nil && n == p.lines && sum != p.sum {
				err = other()
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
		if n < p.lines {
			yield(storage.Line{}, other())
		}
	}
}
