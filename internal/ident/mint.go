package ident

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// Epoch is the moment, in Unix milliseconds, from which snowflakes count:
// 2015-01-01T00:00:00Z.
const Epoch = 1420070400000

// snowflakeSeq is the number of sequence numbers.
const snowflakeSeq = 1 << 22

// Snowflake returns the id that xcsh makes of a time in Unix milliseconds and a
// sequence number: 16 lower-case hex digits of the time since Epoch, shifted by
// 22 bits, and the sequence number modulo 2²².
func Snowflake(ms int64, seq uint32) string {
	since := uint64(max(ms-Epoch, 0))
	return fmt.Sprintf("%016x", since<<22|uint64(seq%snowflakeSeq))
}

// ParseSnowflake takes a snowflake apart; ok is false when id is not 16
// lower-case hex digits.
func ParseSnowflake(id string) (ms int64, seq uint32, ok bool) {
	if len(id) != 16 {
		return 0, 0, false
	}
	for i := range len(id) {
		if !IsDigit(id[i]) && (id[i] < 'a' || id[i] > 'f') {
			return 0, 0, false
		}
	}
	n, err := strconv.ParseUint(id, 16, 64)
	if err != nil {
		return 0, 0, false
	}
	return int64(n>>22) + Epoch, uint32(n % snowflakeSeq), true
}

// UUIDv7 returns a version 7 UUID (RFC 9562) of a time in Unix milliseconds and
// 74 of the 80 random bits.
func UUIDv7(ms int64, random [10]byte) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(ms)<<16)
	copy(b[6:], random[:])
	b[6] = b[6]&0x0f | 0x70
	return uuid(b)
}

// UUIDv4 returns a version 4 UUID of 122 of the 128 random bits.
func UUIDv4(random [16]byte) string {
	random[6] = random[6]&0x0f | 0x40
	return uuid(random)
}

// uuid sets the variant and spells the bytes out.
func uuid(b [16]byte) string {
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// EntryID returns an entry id that is not taken: 8 hex digits, after 100
// collisions a whole UUIDv4, as the programs do. taken may be nil. It fails when
// random fails or repeats itself for ever.
func EntryID(random io.Reader, taken func(id string) bool) (string, error) {
	var short [4]byte
	for range 100 {
		if _, err := io.ReadFull(random, short[:]); err != nil {
			return "", fmt.Errorf("make entry id: %w", err)
		}
		id := hex.EncodeToString(short[:])
		if taken == nil || !taken(id) {
			return id, nil
		}
	}
	var long [16]byte
	for range 100 {
		if _, err := io.ReadFull(random, long[:]); err != nil {
			return "", fmt.Errorf("make entry id: %w", err)
		}
		if id := UUIDv4(long); !taken(id) {
			return id, nil
		}
	}
	return "", fmt.Errorf("make entry id: 200 random ids in a row are taken")
}

// Mint makes ids from a clock and a source of randomness that it is given. Its
// session ids sort in the order in which they were made. It is safe for
// concurrent use when the clock is.
type Mint struct {
	now func() time.Time

	mu      sync.Mutex
	random  io.Reader // guarded by mu
	seq     uint32    // guarded by mu: the last snowflake's
	seeded  bool      // guarded by mu: seq holds a random start
	last    int64     // guarded by mu: time of the last UUID
	lastLow uint64    // guarded by mu: its 62 low bits
	high    [2]byte   // guarded by mu: its 12 bits behind the version
}

// NewMint returns a Mint over a clock and a source of randomness (crypto/rand's
// Reader in a program, a seeded one in a test).
func NewMint(now func() time.Time, random io.Reader) *Mint {
	return &Mint{now: now, random: random}
}

// Session returns a new session id in the dialect's manner: a UUIDv7 for pi and
// omp, a snowflake for cambium and xcsh. It fails only when the randomness does.
func (m *Mint) Session(dialect string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ms := m.now().UnixMilli()
	if dialect == "pi" || dialect == "omp" {
		return m.uuidv7(ms)
	}
	if !m.seeded {
		var seed [4]byte
		if _, err := io.ReadFull(m.random, seed[:]); err != nil {
			return "", fmt.Errorf("make session id: %w", err)
		}
		m.seq, m.seeded = binary.BigEndian.Uint32(seed[:])%snowflakeSeq, true
	}
	m.seq = (m.seq + 1) % snowflakeSeq
	return Snowflake(ms, m.seq), nil
}

// Entry returns a new entry id that is not taken, as EntryID does.
func (m *Mint) Entry(taken func(id string) bool) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return EntryID(m.random, taken)
}

// uuidv7 makes the next UUID. Within one millisecond, and while the clock stands
// or goes back, the low bits grow by a random step, so that the order holds.
func (m *Mint) uuidv7(ms int64) (string, error) {
	var r [10]byte
	if _, err := io.ReadFull(m.random, r[:]); err != nil {
		return "", fmt.Errorf("make session id: %w", err)
	}
	low := binary.BigEndian.Uint64(r[2:]) & (1<<62 - 1)
	if ms > m.last {
		m.last, m.lastLow = ms, low
		copy(m.high[:], r[:2])
	} else {
		m.lastLow += 1 + low>>32
		if m.lastLow >= 1<<62 {
			// Out of low bits: the next millisecond is borrowed.
			m.last, m.lastLow = m.last+1, low
		}
	}
	copy(r[:2], m.high[:])
	binary.BigEndian.PutUint64(r[2:], m.lastLow)
	return UUIDv7(m.last, r), nil
}
