package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/redact"
)

// filler is a text of so many letters and digits in which nothing repeats soon. The
// secrets of the tests are put together of it, so that none stands in this file.
func filler(alphabet string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteByte(alphabet[(i*i*7+i*13+5)%len(alphabet)])
	}
	return b.String()
}

const (
	alnum = "aB3dE5gH7jK9mN1pQrS2tUvW4xYz6AbC8Df"
	hex   = "0a9b8c7d6e5f41327"
	upper = "A2BC3DE4FG5HJ6KL7"
)

// TestSecrets: what well-known keys look like is found, and what is around it stays.
func TestSecrets(t *testing.T) {
	pem := "-----BEGIN RSA " + "PRIVATE KEY-----\n" + filler(alnum, 64) + "\n" + filler(alnum, 64) + "\n"
	for _, test := range []struct{ kind, before, secret, after string }{
		{"anthropic-token", "key ", "sk-ant-" + "oat01-" + filler(alnum, 80), " ok"},
		{"api-token", "export K=", "sk-" + "or-v1-" + filler(hex, 64), "\n"},
		{"github-pat", "git clone https://x:", "ghp_" + filler(alnum, 36), "@github.com/a/b"},
		{"github-fine-grained-pat", "", "github_pat_" + filler(alnum, 82), ""},
		{"aws-access-token", "id ", "AKIA" + filler("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16), " "},
		{"slack-legacy-bot-token", "", "xoxb-" + filler("0123456789", 11) + "-" + filler(alnum, 24), ""},
		{"jwt", "t=", "eyJ" + filler(alnum, 20) + ".eyJ" + filler(alnum, 30) + "." + filler(alnum, 43), ";"},
		{"stripe-access-token", "", "sk_" + "live_" + filler(alnum, 24), " x"},
		{"gcp-api-key", "k ", "AIza" + filler(alnum, 35), " x"},
		{"npm-access-token", "", "npm_" + filler(alnum, 36), "\n"},
		{"authorization", `-H "Authorization: Bearer `, filler(alnum, 24), `" https://a.example`},
		{"authorization", `{"x-api-key":"`, filler(alnum, 24), `"}`},
		{"bearer-token", "says bearer ", filler(alnum, 30), " there"},
		{"url-password", "postgres://ada:", "tr" + "ee", "@db.example/garden"},
		{"curl-user", "curl -s -u ", "ada:tre" + "ees", " https://a.example"},
		{"password", "DB_PASSWORD=", "apple-tree-9", "\n"},
		{"generic-secret", "SOME_TOKEN=", filler(alnum, 30), "\n"},
		{"private-key", "a\n", pem + "-----END RSA " + "PRIVATE KEY-----", "\nb"},
		{"private-key", "torn\n", pem, ""},
	} {
		r := redact.New(redact.Options{})
		want := test.before + "[redacted: " + test.kind + "]" + test.after
		if got := r.Text(test.before + test.secret + test.after); got != want {
			t.Errorf("%q: %q, want %q", test.before+test.secret+test.after, got, want)
		}
		if got := counts(r); got != test.kind+" 1" {
			t.Errorf("%s: counted %q", test.kind, got)
		}
	}
}

// TestLong: a secret that is longer than what is looked at around a word goes whole.
func TestLong(t *testing.T) {
	r := redact.New(redact.Options{})
	if got := r.Text("Authorization: Bearer " + filler(alnum, 9000) + ", and on"); got != "Authorization: Bearer [redacted: authorization], and on" {
		t.Errorf("got %q", got)
	}
}

// TestUserOfAHome: who is not named is named by the home, wherever that lies.
func TestUserOfAHome(t *testing.T) {
	for _, test := range []struct {
		o    redact.Options
		want string
	}{
		{redact.Options{Home: "/data/adalovelace"}, "~/x by [user]"},
		{redact.Options{Home: "/data/adalovelace", User: "grace"}, "~/x by adalovelace"},
		{redact.Options{}, "/data/adalovelace/x by adalovelace"},
	} {
		if got := redact.New(test.o).Text("/data/adalovelace/x by adalovelace"); got != test.want {
			t.Errorf("%+v: %q, want %q", test.o, got, test.want)
		}
	}
}

// TestManyKeys: private keys are taken out one by one; lines that begin keys and end none
// are looked at once. With an expression for the whole of a key, this text took hours.
func TestManyKeys(t *testing.T) {
	begin, end := "-----BEGIN RSA "+"PRIVATE KEY-----\n", "-----END RSA "+"PRIVATE KEY-----"
	r := redact.New(redact.Options{})
	if got := r.Text("a " + begin + "x\n" + end + " b " + begin + "y\n" + end + " c"); got != "a [redacted: private-key] b [redacted: private-key] c" {
		t.Errorf("got %q", got)
	}
	const n = 100_000
	if got := r.Text(strings.Repeat(begin, n)); strings.Contains(got, "PRIVATE") || strings.Count(got, "[redacted: private-key]") != n {
		t.Errorf("%d of %d are gone", strings.Count(got, "[redacted: private-key]"), n)
	}
	if got := r.Text(begin + strings.Repeat("zz\n", n) + "-."); got != "[redacted: private-key]-." {
		t.Errorf("got %.80q", got)
	}
}

// TestRules: each rule can be read, and finds its words in any case.
func TestRules(t *testing.T) {
	if n := redact.CheckRules(); n < 200 {
		t.Errorf("%d rules", n)
	}
}

// TestPlain: what is no secret stays as it is.
func TestPlain(t *testing.T) {
	for _, text := range []string{
		"", "the key = value of a token, and the password is asked for", "commit 9fceb02d0ae598e95dc970b74767f19372d6f1c3",
		"https://example.org:8080/a@b", "tokensBefore: 1500, api = newClient(token)", "the author: someFunctionName",
		"password: string", "if password == other {", "sha256:" + filler(hex, 64), "PASSWORD=$SECRET", "password=<yours>", "go test ./internal/token",
		"-----BEGIN CERTIFICATE-----\n" + filler(alnum, 64) + "\n-----END CERTIFICATE-----",
	} {
		if got := redact.New(redact.Options{}).Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestNames: homes and the names of users are shortened, in what others wrote too.
func TestNames(t *testing.T) {
	o := redact.Options{Home: "/srv/people/lovelace", User: "lovelace", Dirs: []string{"/home/grace/garden"}}
	for _, test := range []struct{ text, want string }{
		{"cd /srv/people/lovelace/x", "cd ~/x"},
		{"/srv/people/lovelaces /srv/people/lovelace", "/srv/people/lovelaces ~"},
		{"/home/grace/garden, /Users/mary/a.go", "~/garden, ~/a.go"},
		{`C:\Users\mary\a C:\\Users\\mary\\b`, `~\a ~\\b`},
		{"grace@host, --home-grace-garden--, graceful", "[user]@host, --home-[user]-garden--, graceful"},
		{"/var/home/", "/var/home/"},
		{"Lovelace said", "[user] said"},
	} {
		if got := redact.New(o).Text(test.text); got != test.want {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
	r := redact.New(redact.Options{Home: "/root"})
	if got := r.Text("the root of /root/a is root"); got != "the root of ~/a is root" {
		t.Errorf("got %q", got)
	}
	if got := counts(r); got != "home directory 1" {
		t.Errorf("counted %q", got)
	}
}

// TestTwice: what was redacted is not redacted again.
func TestTwice(t *testing.T) {
	o := redact.Options{Home: "/home/ada"}
	once := redact.New(o).Text("TOKEN=" + filler(alnum, 40) + " in /home/ada, postgres://a:" + "b@c/d")
	r := redact.New(o)
	if got := r.Text(once); got != once || counts(r) != "" {
		t.Errorf("%q became %q", once, got)
	}
}

// FuzzText: nothing panics, and the rest of a text stays: what comes before a planted
// key is what it would be without it.
func FuzzText(f *testing.F) {
	f.Add("a key = b")
	f.Add("-----BEGIN PRIVATE KEY-----")
	f.Add("curl -u 'a:\xff")
	f.Fuzz(func(t *testing.T, text string) {
		key := "ghp_" + filler(alnum, 36)
		got := redact.New(redact.Options{Home: "/home/ada"}).Text(text + "\n" + key + "\n")
		if strings.Contains(got, key) {
			t.Errorf("the key is still there: %q", got)
		}
	})
}

// BenchmarkText: megabytes of text a second, with and without keywords.
func BenchmarkText(b *testing.B) {
	for name, text := range map[string]string{
		"prose": strings.Repeat("A garden of trees, in which every branch is kept and none is lost. ", 4096),
		"words": strings.Repeat("the token of the api key is in the secret access list; ", 4096),
	} {
		b.Run(name, func(b *testing.B) {
			r := redact.New(redact.Options{Home: "/home/ada"})
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Text(text)
			}
		})
	}
}

func counts(r *redact.Redactor) string {
	var all []string
	for kind, n := range r.Found() {
		all = append(all, fmt.Sprint(kind, " ", n))
	}
	return strings.Join(all, ", ")
}
