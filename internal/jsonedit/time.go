package jsonedit

import (
	"fmt"
	"strings"
	"time"
)

// maxTime is the largest distance from 1970 in milliseconds that a JavaScript
// Date can hold (ECMA-262, time values).
const maxTime = 8_640_000_000_000_000

// ParseTime returns the milliseconds since 1970 that Date.parse gives for a
// date in ISO form: a year, year and month, or full date (which are UTC), with
// a time to the minute, second or any fraction, "Z" or an offset after it.
// Digits after the milliseconds are cut off; 24:00 is the end of the day; years
// may have a sign and six digits. Days up to 31 are taken in every month and
// run over into the next, as Node 22 and Bun 1.4.5 do. A time without an offset
// is local in JavaScript; here it is UTC, so that the answer does not depend on
// the machine. A blank in place of the T is accepted, as the engines do. It
// reports false where Date.parse gives NaN for an ISO form, and for the
// engines' other forms ("Jan 2 2026").
func ParseTime(s string) (ms int64, ok bool) {
	p := clock{s: s}
	year, good := p.year()
	month, day := int64(1), int64(1)
	if good && p.take("-") {
		month, good = p.number(2)
		if good && p.take("-") {
			day, good = p.number(2)
		}
	}
	if !good || month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, false
	}
	date := time.Date(int(year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC)
	ms = date.Unix() * 1000
	if p.take("T") || p.take("t") || p.take(" ") {
		inDay, good := p.time()
		if !good {
			return 0, false
		}
		ms += inDay
	}
	if p.s != "" || ms > maxTime || ms < -maxTime {
		return 0, false
	}
	return ms, true
}

// FormatTime returns ms, milliseconds since 1970, as Date.prototype.toISOString
// does: always UTC, three digits of milliseconds and "Z"; years outside 0 to
// 9999 have a sign and six digits. For a time that no Date can hold, where
// JavaScript throws, it returns "".
func FormatTime(ms int64) string { return string(AppendTime(nil, ms)) }

// AppendTime appends what [FormatTime] returns, nothing where that is "".
func AppendTime(dst []byte, ms int64) []byte {
	if ms > maxTime || ms < -maxTime {
		return dst
	}
	t := time.UnixMilli(ms).UTC()
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	if year < 0 || year > 9999 {
		dst = fmt.Appendf(dst, "%+07d", year)
	} else {
		dst = digits(dst, year, 4)
	}
	dst = digits(append(dst, '-'), int(month), 2)
	dst = digits(append(dst, '-'), day, 2)
	dst = digits(append(dst, 'T'), hour, 2)
	dst = digits(append(dst, ':'), minute, 2)
	dst = digits(append(dst, ':'), second, 2)
	return append(digits(append(dst, '.'), t.Nanosecond()/1e6, 3), 'Z')
}

// digits appends the last width decimal digits of n.
func digits(dst []byte, n, width int) []byte {
	for at := len(dst) + width - 1; len(dst) <= at; {
		dst = append(dst, '0')
	}
	for at := len(dst) - 1; width > 0; at, width = at-1, width-1 {
		dst[at] = byte('0' + n%10)
		n /= 10
	}
	return dst
}

// clock reads a date from the front of s.
type clock struct {
	s string
}

// take removes prefix from the front, if it is there.
func (c *clock) take(prefix string) bool {
	rest, ok := strings.CutPrefix(c.s, prefix)
	c.s = rest
	return ok
}

// number reads exactly n digits.
func (c *clock) number(n int) (int64, bool) {
	if len(c.s) < n {
		return 0, false
	}
	var v int64
	for i := range n {
		d := c.s[i]
		if d < '0' || d > '9' {
			return 0, false
		}
		v = v*10 + int64(d-'0')
	}
	c.s = c.s[n:]
	return v, true
}

// year reads four digits, or a sign and six; "-000000" is not a year.
func (c *clock) year() (int64, bool) {
	switch {
	case c.take("+"):
		return c.number(6)
	case c.take("-"):
		y, ok := c.number(6)
		return -y, ok && y != 0
	}
	return c.number(4)
}

// time reads hours, minutes, seconds, a fraction and the offset, and returns
// milliseconds to add to the start of the day in UTC.
func (c *clock) time() (int64, bool) {
	hour, ok1 := c.number(2)
	colon := c.take(":")
	minute, ok2 := c.number(2)
	if !ok1 || !colon || !ok2 || hour > 24 || minute > 59 {
		return 0, false
	}
	var second, milli int64
	if c.take(":") {
		var ok bool
		if second, ok = c.number(2); !ok || second > 59 {
			return 0, false
		}
		if c.take(".") {
			if milli, ok = c.fraction(); !ok {
				return 0, false
			}
		}
	}
	if hour == 24 && (minute != 0 || second != 0 || milli != 0) {
		return 0, false
	}
	offset, ok := c.offset()
	return ((hour*60+minute-offset)*60+second)*1000 + milli, ok
}

// fraction reads one or more digits and returns the first three as
// milliseconds.
func (c *clock) fraction() (int64, bool) {
	var milli int64
	n := 0
	for ; n < len(c.s) && c.s[n] >= '0' && c.s[n] <= '9'; n++ {
		if n < 3 {
			milli = milli*10 + int64(c.s[n]-'0')
		}
	}
	for i := n; i < 3; i++ {
		milli *= 10
	}
	c.s = c.s[n:]
	return milli, n > 0
}

// offset reads "Z", nothing, or ±hh:mm, and returns minutes east of UTC.
func (c *clock) offset() (int64, bool) {
	if c.s == "" || c.take("Z") || c.take("z") {
		return 0, true
	}
	sign := int64(1)
	switch {
	case c.take("+"):
	case c.take("-"):
		sign = -1
	default:
		return 0, false
	}
	hour, ok1 := c.number(2)
	c.take(":")
	minute, ok2 := c.number(2)
	return sign * (hour*60 + minute), ok1 && ok2 && hour < 24 && minute < 60
}
