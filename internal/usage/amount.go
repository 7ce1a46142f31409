package usage

import (
	"fmt"
	"math/bits"
	"strconv"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// Micros is an amount of money in millionths of a US dollar.
type Micros int64

// Dollars writes an amount in dollars with all six digits behind the point, as a JSON
// number.
func (m Micros) Dollars() string {
	sign, n := "", uint64(m)
	if m < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%06d", sign, n/million, n%million)
}

// million is how many micro-dollars a dollar has, and of how many tokens a price is.
const million = 1_000_000

// What is believed of one charge. More is absurd, and is not counted.
const (
	mostMicros = 1_000_000 * million // a million dollars
	mostTokens = 1_000_000_000_000
	mostTime   = 1 << 53 // milliseconds
)

// A verdict says what a JSON value is as a number.
type verdict uint8

const (
	absent verdict = iota // not there, or null
	good
	absurd // no number, negative, or more than is believed
)

// scaled reads a JSON number, times ten to the power of shift, as a whole number
// between 0 and most. What is behind the point then is rounded, a half to the even
// number. All digits are looked at: the result is exact.
func scaled(raw []byte, shift int, most int64) (n int64, is verdict) {
	if len(raw) == 0 || jsonedit.IsNull(raw) {
		return 0, absent
	}
	negative := raw[0] == '-'
	mantissa := raw
	if negative {
		mantissa = raw[1:]
	}
	digits, point, power := split(mantissa)
	if digits == nil {
		return 0, absurd
	}
	place := point + power + shift // of the point among the digits
	half, rest, any := byte(0), false, false
	k := 0
	for _, c := range digits {
		if c == '.' {
			continue
		}
		d := c - '0'
		any = any || d != 0
		switch {
		case k < place:
			if n = n*10 + int64(d); n > most {
				return 0, absurd
			}
		case k == place:
			half = d
		default:
			rest = rest || d != 0
		}
		k++
	}
	for ; k < place && n > 0; k++ {
		if n *= 10; n > most {
			return 0, absurd
		}
	}
	if half > 5 || half == 5 && (rest || n%2 == 1) {
		n++
	}
	if n > most || negative && any {
		return 0, absurd
	}
	return n, good
}

// mostPower is more than any power of ten that matters.
const mostPower = 1 << 30

// split takes a number without a sign apart: its digits with the point, how many stand
// before the point, and the power of ten. The digits are nil when it is no number.
func split(raw []byte) (digits []byte, point, power int) {
	end, pointed := 0, false
	for end < len(raw) && (raw[end]-'0' < 10 || raw[end] == '.' && !pointed) {
		if raw[end] == '.' {
			pointed, point = true, end
		}
		end++
	}
	if !pointed {
		point = end
	}
	if point == 0 || pointed && point == end-1 {
		return nil, 0, 0
	}
	if end == len(raw) {
		return raw, point, 0
	}
	if raw[end]|0x20 != 'e' {
		return nil, 0, 0
	}
	text := string(raw[end+1:])
	power, err := strconv.Atoi(text)
	if err != nil && power == 0 {
		return nil, 0, 0 // no number at all; one out of range is the largest there is
	}
	return raw[:end], point, min(max(power, -mostPower), mostPower)
}

// A Price is what a million tokens cost, in micro-dollars. Those of a request with a
// longer prompt than Above tokens are in Long, if Above is not 0.
type Price struct {
	Rates
	Above int64
	Long  Rates
}

// Rates are what a million tokens of each kind cost, in micro-dollars.
type Rates struct{ Input, Output, CacheRead, CacheWrite, CacheWriteLong Micros }

// rates are those that hold for a call.
func (p *Price) rates(t *Tokens) *Rates {
	if p.Above > 0 && t.Input+t.CacheRead+t.CacheWrite > p.Above {
		return &p.Long
	}
	return &p.Rates
}

// cost is what a call costs.
func (p *Price) cost(t *Tokens) Micros {
	r := p.rates(t)
	long := min(t.CacheWriteLong, t.CacheWrite)
	return perMillion(
		term{t.Input, r.Input}, term{t.Output, r.Output}, term{t.CacheRead, r.CacheRead},
		term{t.CacheWrite - long, r.CacheWrite}, term{long, r.CacheWriteLong})
}

// saved is how much less a call costs because a part of its prompt was read from the
// cache, less what it cost to write to it.
func (p *Price) saved(t *Tokens) Micros {
	r := p.rates(t)
	long := min(t.CacheWriteLong, t.CacheWrite)
	return perMillion(term{t.CacheRead, r.Input}, term{t.CacheWrite, r.Input}) -
		perMillion(term{t.CacheRead, r.CacheRead}, term{t.CacheWrite - long, r.CacheWrite}, term{long, r.CacheWriteLong})
}

// A term is so many tokens at a rate.
type term struct {
	tokens int64
	rate   Micros
}

// perMillion adds terms up and rounds the sum once, a half to the even number. What is
// too much is the most that is believed.
func perMillion(terms ...term) Micros {
	var high, low uint64
	for _, t := range terms {
		if t.tokens <= 0 || t.rate <= 0 {
			continue
		}
		h, l := bits.Mul64(uint64(t.tokens), uint64(t.rate))
		var carry uint64
		low, carry = bits.Add64(low, l, 0)
		high, _ = bits.Add64(high, h, carry)
	}
	if high >= million {
		return mostMicros
	}
	n, rest := bits.Div64(high, low, million)
	if rest > million/2 || rest == million/2 && n%2 == 1 {
		n++
	}
	return Micros(min(n, mostMicros))
}
