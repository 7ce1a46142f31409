package catalog

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestDecimal(t *testing.T) {
	tests := []string{"0", "1", "0.1", "0.30000000000004", "123456789012345", "99999999999999.9", "1.0", "0.000001"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		tests = append(tests, strconv.FormatFloat(r.Float64()*float64(int64(1)<<r.IntN(40)), 'f', r.IntN(12), 64))
	}
	for _, text := range tests {
		want, err := strconv.ParseFloat(text, 64)
		got, ok := decimal([]byte(text))
		if err != nil || ok && got != want || !ok && len(text) <= 15 {
			t.Errorf("decimal(%s) = %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-1", "1e3", "1234567890123456", "12345678901234.56", "null", "1.2.3", `"1"`} {
		if got, ok := decimal([]byte(text)); ok {
			t.Errorf("decimal(%s) = %v", text, got)
		}
	}
}
