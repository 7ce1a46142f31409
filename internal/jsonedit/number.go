package jsonedit

import (
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Number returns the number v as JavaScript would hold it: a double, so that
// integers beyond 2^53 lose digits and numbers beyond its range are infinite. It
// reports false when v is not a number.
func Number(v []byte) (float64, bool) {
	b := trim(v)
	if len(b) == 0 || b[0] != '-' && (b[0] < '0' || b[0] > '9') {
		return 0, false
	}
	for _, c := range b {
		switch {
		case '0' <= c && c <= '9', c == '.', c == '-', c == '+', c == 'e', c == 'E':
		default:
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// Int returns the number v as an integer, exact for integers of 64 bits, cut
// towards zero for fractions and held at the ends of the range beyond it. It
// reports false when v is not a number.
func Int(v []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(trim(v)), 10, 64); err == nil {
		return n, Kind(v) == jsontext.KindNumber
	}
	f, ok := Number(v)
	switch {
	case !ok:
		return 0, false
	case f >= math.MaxInt64:
		return math.MaxInt64, true
	case f <= math.MinInt64:
		return math.MinInt64, true
	}
	return int64(f), true
}

// JSNumber returns f as Number.prototype.toString prints it (ECMA-262,
// Number::toString with radix 10): the shortest digits that read back as f, no
// exponent from 1e-6 up to below 1e21, "0" for minus zero, "NaN", "Infinity".
func JSNumber(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0:
		return "0"
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	// Go pads the exponent to two digits, JavaScript does not.
	return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
}
