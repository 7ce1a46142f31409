package jetstream

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"
)

const (
	// dialTime is how long a server may take to be connected with, TLS included.
	dialTime = 5 * time.Second
	// mostLine is how long a line of the protocol may be, in bytes; mostArgs that
	// of a message, which servers take at 4096.
	mostLine, mostArgs = 1 << 20, 16 << 10
	// mostMessage is how large a message may be: servers take no max_payload above
	// that.
	mostMessage = 64 << 20
	// mostHeaders is how many bytes of headers a message may have: those of this
	// package have some hundred.
	mostHeaders = 64 << 10
)

// errFrame is a server that does not speak the protocol, or not within bounds. The
// client's library believes sizes that it is told, and ends the program with those
// that are none (nats.go 1.55.0).
var errFrame = errors.New("it does not speak the protocol of NATS")

// Causes of errFrame that a server of NATS has no reason for.
var (
	errHeaders = fmt.Errorf("headers of more than %d KiB: %w", mostHeaders>>10, errFrame)
	errRepeat  = fmt.Errorf("it sends the same message again and again: %w", errFrame)
)

// A door makes connections for the client's library: it agrees with the server on
// TLS, and lets nothing in that is out of bounds.
type door struct {
	tls    *tls.Config // without a name
	secure bool        // without TLS nothing is said
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
	// flaw is called with what is wrong with a server that floods; it may be nil.
	flaw func(error)
}

var _ nats.CustomDialer = (*door)(nil)

// SkipResolving has names left to Dial: certificates are for names.
func (d *door) SkipResolving() bool { return true }

// Dial connects with a server. The library is told that all is agreed on.
func (d *door) Dial(network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), dialTime)
	defer cancel()
	c, err := d.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	_ = c.SetDeadline(time.Now().Add(dialTime)) // of TCP: it has them
	in, err := d.agree(ctx, c, address)
	if err == nil {
		err = in.SetDeadline(time.Time{})
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return in, nil
}

// agree reads what the server says of itself, and encrypts what follows.
func (d *door) agree(ctx context.Context, c net.Conn, address string) (net.Conn, error) {
	line, err := firstLine(c)
	if err != nil {
		return nil, err
	}
	text, ok := bytes.CutPrefix(line, []byte("INFO "))
	info := map[string]jsontext.Value{}
	if !ok || json.Unmarshal(text, &info) != nil {
		return nil, errFrame
	}
	required, available := string(info["tls_required"]) == "true", string(info["tls_available"]) == "true"
	if d.secure && !required && !available {
		return nil, nats.ErrSecureConnWanted
	}
	if d.secure || required {
		config := d.tls.Clone()
		if config.ServerName, _, err = net.SplitHostPort(address); err != nil {
			return nil, err
		}
		t := tls.Client(c, config)
		if err := t.HandshakeContext(ctx); err != nil {
			return nil, err
		}
		c = t
	}
	delete(info, "tls_required")
	delete(info, "tls_available")
	told, err := json.Marshal(info)
	if err != nil {
		return nil, err
	}
	return &bounded{Conn: c, told: fmt.Appendf(nil, "INFO %s\r\n", told), flaw: d.flaw}, nil
}

// firstLine reads a line and no byte more: what follows may be encrypted.
func firstLine(c io.Reader) ([]byte, error) {
	var line []byte
	one := make([]byte, 1)
	for len(line) < mostLine {
		if _, err := io.ReadFull(c, one); err != nil {
			return nil, err
		}
		if line = append(line, one[0]); one[0] == '\n' {
			return line, nil
		}
	}
	return nil, errFrame
}

// bounded is a connection that passes on what a server says as long as it is
// within bounds.
type bounded struct {
	net.Conn
	told []byte // what is to be read first

	line    []byte // the beginning of the line that is being read
	length  int    // of it
	message int    // how many bytes of a message are still to come
	ends    bool   // the rest of the line behind a message is passed over
	failed  error

	before []byte // the last line of a message that a consumer delivered
	again  int    // how often it came again
	flaw   func(error)
}

// mostAgain is how often in turn a consumer may deliver one message: no server does so
// at all but when its answer is lost.
const mostAgain = 3

// repeated fails when a consumer delivers one message, which has a number of its own,
// again and again.
func (b *bounded) repeated(line []byte) error {
	if !bytes.Contains(line, []byte("$JS.ACK.")) {
		return nil
	}
	if !bytes.Equal(line, b.before) {
		b.before, b.again = append(b.before[:0], line...), 0
		return nil
	}
	if b.again++; b.again < mostAgain {
		return nil
	}
	return errRepeat
}

// Read reads, and checks what was read.
func (b *bounded) Read(p []byte) (int, error) {
	if len(b.told) > 0 {
		n := copy(p, b.told)
		b.told = b.told[n:]
		return n, nil
	}
	if b.failed != nil {
		return 0, b.failed
	}
	n, err := b.Conn.Read(p)
	if b.failed = b.check(p[:n]); b.failed != nil {
		if b.flaw != nil && (errors.Is(b.failed, errRepeat) || errors.Is(b.failed, errHeaders)) {
			b.flaw(b.failed)
		}
		return 0, b.failed
	}
	return n, err
}

// check goes on in the protocol: lines, and messages of a size that their line
// says.
func (b *bounded) check(p []byte) error {
	for len(p) > 0 {
		if b.message > 0 {
			n := min(b.message, len(p))
			b.message, p = b.message-n, p[n:]
			continue
		}
		end := bytes.IndexByte(p, '\n')
		part := p
		if end >= 0 {
			part = p[:end+1]
		}
		if p = p[len(part):]; b.ends {
			b.ends = end < 0
			continue
		}
		b.line = append(b.line, part[:min(len(part), mostArgs+1-len(b.line))]...)
		if b.length += len(part); b.length > mostLine {
			return errFrame
		}
		if end < 0 {
			continue
		}
		size, err := sizeOf(b.line)
		if err == nil && size >= 0 {
			err = b.repeated(b.line)
		}
		if err != nil {
			return err
		}
		b.message, b.ends = size, size >= 0
		b.message = max(b.message, 0)
		b.line, b.length = b.line[:0], 0
	}
	return nil
}

// sizeOf returns the size of the message that a line announces, below 0 for a line
// that announces none.
func sizeOf(line []byte) (int, error) {
	head := strings.ToUpper(string(line[:min(5, len(line))]))
	if !strings.HasPrefix(head, "MSG") && !strings.HasPrefix(head, "HMSG") {
		return -1, nil
	}
	text, whole := strings.CutSuffix(string(line), "\n")
	text = strings.TrimSuffix(text, "\r")
	if !whole || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' }) {
		return 0, errFrame
	}
	fields := strings.Fields(text)
	size, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil || size < 0 || size > mostMessage {
		return 0, errFrame
	}
	if head[0] != 'H' || len(fields) < 2 {
		return size, nil
	}
	if of, err := strconv.Atoi(fields[len(fields)-2]); err != nil || of < 0 || of > size {
		return 0, errFrame
	} else if of > mostHeaders {
		return 0, errHeaders
	}
	return size, nil
}

// door makes the one of a store's options.
func (o *Options) door(servers string) (*door, error) {
	config, err := o.tlsConfig()
	if err != nil {
		return nil, err
	}
	d := &door{tls: config, dial: o.dial}
	d.secure = strings.Contains(servers, "tls://") || o.ca != "" || !o.plain && distant(servers)
	if d.dial == nil {
		d.dial = new(net.Dialer).DialContext
	}
	return d, nil
}

// tlsConfig is what a server is checked with, and what it is shown.
func (o *Options) tlsConfig() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.ca != "" {
		data, err := os.ReadFile(o.ca)
		if err != nil {
			return nil, err
		}
		if c.RootCAs = x509.NewCertPool(); !c.RootCAs.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("%q holds no certificate", o.ca)
		}
	}
	if o.certificate != "" {
		pair, err := tls.LoadX509KeyPair(o.certificate, o.key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
