package near_test

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/near"
)

func words(text string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, w := range strings.Fields(text) {
			if !yield(w, nil) {
				return
			}
		}
	}
}

func TestWords(t *testing.T) {
	for _, test := range []struct{ word, all, want string }{
		{"naive", "naïve native nave naively naivë", "naivë= naïve= native nave"},
		{"naïve", "naive NAÏVE", "naive="},
		{"strasse", "straße strasse strafe", "straße="},
		{"Straße", "strasse straße", "strasse="},
		{"ｇａｒｄｅｎ", "garden gardens", "garden= gardens"},
		{"smorrebrod", "smørrebrød", "smørrebrød="},
		{"teh", "the ten", ""}, // too short for another letter
		{"cafe", "cafe\u0301 cage", "cafe\u0301= cage"},
		{"retyr", "retry retro", "retry"},
		{"会話", "会话 会議", ""},
		{"Ångström", "angstrom", "angstrom="},
		{"", "a b", ""},
		{"garden", "garden GARDEN", ""}, // it is there
		{strings.Repeat("a", 5000), strings.Repeat("a", 5001), ""},
	} {
		found, err := near.Words([]string{"zzzz", test.word}, words(test.all), 4)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range found[1] {
			if m.Same {
				m.Word += "="
			}
			got = append(got, m.Word)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s of %s: %q, want %s", test.word, test.all, got, test.want)
		}
	}
	if found, _ := near.Words([]string{"garden"}, words("gardena gardenb gardenc gardend"), 2); len(found[0]) != 2 {
		t.Errorf("%v", found)
	}
	bad := errors.New("gone")
	if _, err := near.Words([]string{"x"}, func(yield func(string, error) bool) { yield("", bad) }, 1); !errors.Is(err, bad) {
		t.Error(err)
	}
}
