package jsonl_test

import (
	"errors"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonl"
	"pgregory.net/rapid"
)

func TestUnquote(t *testing.T) {
	tests := []struct{ raw, want string }{
		{`""`, ""},
		{`"abc"`, "abc"},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{`"\u0041\u00e9\u20AC"`, "Aé€"},
		{`"\ud83d\ude00!"`, "😀!"},
		{`"\ud83d"`, "\ufffd"},
		{`"\ude00\ud83d"`, "\ufffd\ufffd"},
		{`"\ud83d\n"`, "\ufffd\n"},
		{`"\ud83d\ud83d\ude00"`, "\ufffd😀"},
		{`"\u0000"`, "\x00"},
		{"\"\xff\\n\"", "\xff\n"},
		{`12`, ""},
		{`"`, ""},
		{``, ""},
	}
	for _, test := range tests {
		if got := string(jsonl.Unquote([]byte("> "), []byte(test.raw))); got != "> "+test.want {
			t.Errorf("Unquote(%q) = %q, want %q", test.raw, got, "> "+test.want)
		}
		if got := string(jsonl.Text([]byte(test.raw))); got != test.want {
			t.Errorf("Text(%q) = %q, want %q", test.raw, got, test.want)
		}
	}
}

func TestTextOfPlainStringsIsNotCopied(t *testing.T) {
	raw := []byte(`"plain"`)
	text, ok := jsonl.Plain(raw)
	if !ok || string(text) != "plain" || &text[0] != &raw[1] || cap(text) != len(text) {
		t.Errorf("Plain(%q) = %q, %v", raw, text, ok)
	}
	if _, ok := jsonl.Plain([]byte(`"\n"`)); ok {
		t.Error("Plain took a string with an escape")
	}
	if n := testing.AllocsPerRun(10, func() { jsonl.Text(raw) }); n != 0 {
		t.Errorf("Text of a plain string allocated %v times", n)
	}
	if got := jsonl.Text([]byte(`null`)); got != nil {
		t.Errorf("Text(null) = %q, want nil", got)
	}
}

func TestAppendQuote(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", `""`},
		{"abc <&>'/", `"abc <&>'/"`},
		{"\"\\\b\f\n\r\t", `"\"\\\b\f\n\r\t"`},
		{"\x00\x0b\x1f\x7f", `"\u0000\u000b\u001f` + "\x7f" + `"`},
		{"é€😀\u2028\u2029\ufeff", "\"é€😀\u2028\u2029\ufeff\""},
		{"a\ufffdb", "\"a\ufffdb\""},
		{"a\xffb\xc3", "\"a\ufffdb\ufffd\""},
	}
	for _, test := range tests {
		if got := string(jsonl.AppendQuote([]byte("> "), test.text)); got != "> "+test.want {
			t.Errorf("AppendQuote(%q) = %q, want %q", test.text, got, "> "+test.want)
		}
	}
}

// The numbers of replacements are those of new TextDecoder().decode in Node 20.20.2.
func TestAppendUTF8(t *testing.T) {
	const bad = "\ufffd"
	tests := []struct{ text, want string }{
		{"plain é", "plain é"},
		{"\x80", bad},
		{"\xc0\xaf", bad + bad},
		{"\xc3(", bad + "("},
		{"\xe2\x82", bad},
		{"\xe2\x82(", bad + "("},
		{"\xe2(\xa1", bad + "(" + bad},
		{"\xe0\x80\x80", bad + bad + bad},
		{"\xed\xa0\x80", bad + bad + bad},
		{"\xf0\x9f\x98", bad},
		{"\xf0\x9f\x98\"", bad + "\""},
		{"\xf0\x9f\xf0\x9f\x98\x80", bad + "😀"},
		{"\xf0\x80\x80\x80", bad + bad + bad + bad},
		{"\xf4\x90\x80\x80", bad + bad + bad + bad},
		{"\xf5\x80\xff", bad + bad + bad},
	}
	for _, test := range tests {
		if got := string(jsonl.AppendUTF8(nil, test.text)); got != test.want {
			t.Errorf("AppendUTF8(%q) = %q, want %q", test.text, got, test.want)
		}
		if got := string(jsonl.Text(jsonl.AppendQuote(nil, test.text))); got != test.want {
			t.Errorf("quoted and back %q = %q, want %q", test.text, got, test.want)
		}
	}
}

func TestQuoteAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		raw := jsonl.AppendQuote(nil, text)
		if err := jsonl.Valid(raw); err != nil {
			t.Fatalf("AppendQuote(%q) = %q: %v", text, raw, err)
		}
		if got := string(jsonl.Text(raw)); got != text {
			t.Fatalf("%q quoted and back = %q", text, got)
		}
	})
}

func TestAppendLine(t *testing.T) {
	got, err := jsonl.AppendLine([]byte("> "), []byte(`{"a":"b\n"}`))
	if err != nil || string(got) != "> {\"a\":\"b\\n\"}\n" {
		t.Errorf("AppendLine = %q, %v", got, err)
	}
	var syntax *jsonl.SyntaxError
	for _, value := range []string{"", "{", "{}{}", "{\"a\":\"b\nc\"}", "\x00"} {
		got, err := jsonl.AppendLine([]byte("> "), []byte(value))
		if !errors.As(err, &syntax) || string(got) != "> " {
			t.Errorf("AppendLine(%q) = %q, %v", value, got, err)
		}
	}
	for _, value := range []string{"{\n}", "{}\n"} {
		got, err := jsonl.AppendLine([]byte("> "), []byte(value))
		if !errors.Is(err, jsonl.ErrLineFeed) || string(got) != "> " {
			t.Errorf("AppendLine(%q) = %q, %v", value, got, err)
		}
	}
}
