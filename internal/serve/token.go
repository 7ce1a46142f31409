package serve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Scope is what a token is for.
type Scope string

// The scopes. Who may write may read.
const (
	Read  Scope = "read"
	Write Scope = "write"
)

// A Token is what is kept of a token: not the token.
type Token struct {
	Name    string    `json:"name"`
	Scope   Scope     `json:"scope"`
	Created time.Time `json:"created"`
	// SHA256 is the hash of the token, in hexadecimal digits.
	SHA256 string `json:"sha256"`
}

// TokensFile is the name of the file with the tokens in the configuration
// directory.
const TokensFile = "tokens.json"

// tokenMark begins every token, so that one that leaked can be told.
const tokenMark = "cambium_"

// What is wrong with tokens. The errors of this package wrap them.
var (
	// ErrToken: the file with the tokens cannot be trusted or read.
	ErrToken = errors.New("tokens cannot be used")
	// ErrNoToken: there is no such token, or none at all.
	ErrNoToken = errors.New("no such token")
	// ErrTaken: the name, the socket or the address is another's.
	ErrTaken = errors.New("in use")
	// ErrExposed: without a certificate only this machine is served.
	ErrExposed = errors.New("neither on this machine alone nor encrypted")
)

type tokenFile struct {
	Tokens []Token `json:"tokens"`
}

// maxTokens is how large the file may be, in bytes.
const maxTokens = 1 << 20

// Tokens returns the tokens of a file, none when it is not there. It is refused
// when others than its owner can read it, or it is not ours.
func Tokens(path string) ([]Token, error) {
	all, _, err := readTokens(path)
	return all, err
}

func readTokens(path string) ([]Token, vfs.Info, error) {
	real, err := filepath.EvalSymlinks(path) // secrets are often given as links
	var f vfs.File
	if err == nil {
		f, err = vfs.OS().Open(real, os.O_RDONLY)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, vfs.Info{}, nil
	}
	if err != nil {
		return nil, vfs.Info{}, fmt.Errorf("read tokens: %w: %w", ErrToken, err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, info, fmt.Errorf("read tokens: %w: %w", ErrToken, err)
	case info.Mode.Perm()&0o077 != 0:
		return nil, info, fmt.Errorf("read tokens %q: %w: others can read it; chmod 600 %q", path, ErrToken, path)
	case info.Size > maxTokens:
		return nil, info, fmt.Errorf("read tokens %q: %w: larger than %d bytes", path, ErrToken, maxTokens)
	}
	if why, err := vfs.Strangers(vfs.OS(), path); err != nil || why != "" {
		return nil, info, fmt.Errorf("read tokens %q: %w: %w", path, ErrToken, cmp.Or(err, errors.New(why)))
	}
	data, err := io.ReadAll(io.NewSectionReader(f, 0, maxTokens))
	if err != nil {
		return nil, info, fmt.Errorf("read tokens %q: %w: %w", path, ErrToken, err)
	}
	var file tokenFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, info, fmt.Errorf("read tokens %q: %w: not JSON of tokens", path, ErrToken)
	}
	for _, t := range file.Tokens {
		if sum, err := hex.DecodeString(t.SHA256); err != nil || len(sum) != sha256.Size || t.Scope != Read && t.Scope != Write || !validName(t.Name) {
			return nil, info, fmt.Errorf("read tokens %q: %w: damaged at token %q", path, ErrToken, t.Name)
		}
	}
	return file.Tokens, info, nil
}

func validName(name string) bool {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$`).MatchString(name)
}

// AddToken makes a token, notes its hash in the file under a name that is not
// taken, and returns it: it cannot be found out again. random is read for 32
// bytes.
func AddToken(ctx context.Context, path string, t Token, random io.Reader) (secret string, err error) {
	if !validName(t.Name) {
		return "", fmt.Errorf("add token %q: a name has 1 to 64 letters, digits and .@_- in it, and begins with one of the first two", t.Name)
	}
	if t.Scope != Read && t.Scope != Write {
		return "", fmt.Errorf("add token %q: the scope %q is neither %s nor %s", t.Name, t.Scope, Read, Write)
	}
	raw := make([]byte, 32)
	if _, err := io.ReadFull(random, raw); err != nil {
		return "", fmt.Errorf("add token %q: %w", t.Name, err)
	}
	secret = tokenMark + base64.RawURLEncoding.EncodeToString(raw)
	t.SHA256, t.Created = digest(secret), t.Created.UTC().Truncate(time.Millisecond)
	return secret, changeTokens(ctx, path, func(all []Token) ([]Token, error) {
		if slices.ContainsFunc(all, func(o Token) bool { return o.Name == t.Name }) {
			return nil, fmt.Errorf("add token %q: the name is %w", t.Name, ErrTaken)
		}
		return append(all, t), nil
	})
}

// RemoveToken takes a token away. A server that runs refuses it from then on.
func RemoveToken(ctx context.Context, path, name string) error {
	return changeTokens(ctx, path, func(all []Token) ([]Token, error) {
		rest := slices.DeleteFunc(slices.Clone(all), func(t Token) bool { return t.Name == name })
		if len(rest) == len(all) {
			return nil, fmt.Errorf("remove token %q: %w", name, ErrNoToken)
		}
		return rest, nil
	})
}

// changeTokens replaces the file by what change makes of it, one after another
// who does so.
func changeTokens(ctx context.Context, path string, change func([]Token) ([]Token, error)) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	if why, err := vfs.Strangers(vfs.OS(), filepath.Dir(path)); err != nil || why != "" {
		return fmt.Errorf("write tokens %q: %w: %w", path, ErrToken, cmp.Or(err, errors.New(why)))
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	lock, err := openLock(path + ".lock")
	if err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := lock.Lock(ctx); err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	all, err := Tokens(path)
	if err != nil {
		return err
	}
	if all, err = change(all); err != nil {
		return err
	}
	data, err := json.Marshal(tokenFile{all}, jsontext.WithIndent("\t"))
	if err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	if err := replace(path, append(data, '\n')); err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	return nil
}

// openLock opens a file that is only there to be locked.
func openLock(path string) (vfs.File, error) {
	for {
		f, err := vfs.OS().Open(path, os.O_RDWR)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		f, err = vfs.OS().Open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// replace gives a file new content, durably, or leaves it as it is.
func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return vfs.OS().SyncDir(filepath.Dir(path))
}

func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// keys are the tokens of a file, read again when it changes. It is safe for
// concurrent use.
type keys struct {
	path string

	mu   sync.Mutex
	seen vfs.Info // guarded by mu: the file that was read
	list []Token  // guarded by mu
}

// all returns the tokens as they are now. While the file cannot be used there
// are none, and the error says why.
func (k *keys) all() ([]Token, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now, err := vfs.OS().Stat(k.path)
	if err == nil && now == k.seen {
		return k.list, nil
	}
	list, seen, err := readTokens(k.path)
	if err != nil {
		k.list, k.seen = nil, vfs.Info{}
		return nil, err
	}
	if seen.Name != "" {
		seen.Name = filepath.Base(k.path)
	}
	k.list, k.seen = list, seen
	return list, nil
}

// find returns the token that a client shows. How long it takes tells nothing
// about the tokens there are.
func (k *keys) find(secret string) (Token, error) {
	all, err := k.all()
	if err != nil {
		return Token{}, err
	}
	sum, found := []byte(digest(secret)), -1
	for i, t := range all {
		if subtle.ConstantTimeCompare(sum, []byte(t.SHA256)) == 1 {
			found = i
		}
	}
	if found < 0 {
		return Token{}, ErrNoToken
	}
	return all[found], nil
}

// holds reports whether a token is still there. A file that cannot be used at
// the moment takes none away.
func (k *keys) holds(t Token) bool {
	all, err := k.all()
	return err != nil || slices.ContainsFunc(all, func(o Token) bool { return o.SHA256 == t.SHA256 })
}
