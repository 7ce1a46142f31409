package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/internal/serverstatus"
	"github.com/nats-io/nats.go/jetstream"
)

// Marks in a stream's metadata that it is a store's, and of which form.
const (
	markKey = "cambium-store"
	version = "1"
)

const (
	// overhead is more than what a message has beside its lines.
	overhead = 1 << 10
	// usualPart is how many bytes of lines are put in one message, if the server
	// takes so many: large enough that a long log is read in few, small enough
	// that its end is read soon.
	usualPart = 256 << 10
	// usualGroup is about how many bytes are stored together.
	usualGroup = 4 << 20
	// mostParts is how many messages a server stores together: 1000, two of
	// them for names.
	mostParts = 990
)

// prepare looks at the server and the stream, and makes what is missing.
func (s *natsStore) prepare(ctx context.Context) error {
	if old := oldServer(s.nc.ConnectedServerVersion()); old {
		return fmt.Errorf("%w: %s is version %s, 2.12 is needed", ErrNoJetStream, s.where, s.nc.ConnectedServerVersion())
	}
	limit := s.nc.MaxPayload()
	if limit < s.opt.minPayload {
		return fmt.Errorf("%w: %s takes messages of %d bytes (max_payload), %d are needed", ErrWeak, s.where, limit, s.opt.minPayload)
	}
	if err := s.once(ctx, s.account); err != nil {
		return err
	}
	s.ready.Store(true)
	if s.opt.syncAlways {
		if err := s.checkSync(ctx); err != nil {
			return err
		}
	}
	info, err := s.stream(ctx)
	if err != nil {
		return err
	}
	if err := s.judge(info); err != nil {
		return err
	}
	if info.Config.MaxMsgSize > 0 {
		limit = min(limit, int64(info.Config.MaxMsgSize))
	}
	if limit < s.opt.minPayload {
		return fmt.Errorf("%w: stream %q takes messages of %d bytes, %d are needed", ErrWeak, s.opt.Stream, limit, s.opt.minPayload)
	}
	if s.largest = int(limit - overhead); s.largest < overhead {
		return fmt.Errorf("%w: %s takes messages of %d bytes only", ErrWeak, s.where, limit)
	}
	return s.buckets(ctx)
}

// oldServer reports whether a version is below 2.12.
func oldServer(version string) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 3 {
		return false
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	return err1 == nil && err2 == nil && (major < 2 || major == 2 && minor < 12)
}

// account asks whether there is JetStream for this user.
func (s *natsStore) account(ctx context.Context) error {
	var answer struct {
		Error *apiError `json:"error"`
	}
	if err := s.call(ctx, "INFO", struct{}{}, &answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return answer.Error
	}
	return nil
}

// config is the stream as it is made.
func (s *natsStore) config() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: s.opt.Stream, Description: "Sessions of Cambium",
		Subjects: []string{s.logs + ">", s.names + ">", s.deads + ">"},
		Replicas: s.opt.Replicas, Storage: s.storage(),
		// What does not fit is refused; nothing that is stored is dropped for it.
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		MaxMsgs: -1, MaxBytes: -1, MaxMsgsPerSubject: -1, MaxConsumers: -1, MaxMsgSize: -1,
		AllowDirect: true, AllowAtomicPublish: true, AllowMsgTTL: true,
		Metadata: map[string]string{markKey: version},
	}
}

func (s *natsStore) storage() jetstream.StorageType {
	if s.opt.memory {
		return jetstream.MemoryStorage
	}
	return jetstream.FileStorage
}

// stream returns the stream, made if there is none.
func (s *natsStore) stream(ctx context.Context) (*jetstream.StreamInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*s.opt.Timeout)
	defer cancel()
	stream, err := s.js.Stream(ctx, s.opt.Stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) && s.opt.Existing {
		return nil, s.missing(s.opt.Stream)
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = s.js.CreateStream(ctx, s.config())
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			stream, err = s.js.Stream(ctx, s.opt.Stream) // another was first
		}
	}
	if err != nil {
		return nil, plain(err)
	}
	return stream.CachedInfo(), nil
}

// missing is the error of a stream that is not there, where none is to be made.
func (s *natsStore) missing(stream string) error {
	return &serverstatus.Missing{Where: fmt.Sprintf("stream %q at %s", stream, s.where)}
}

// plain makes an error of the client's JetStream one of ours.
func plain(err error) error {
	var e *jetstream.APIError
	if errors.As(err, &e) {
		return &apiError{Code: e.Code, ErrCode: int(e.ErrorCode), Text: e.Description}
	}
	return err
}

// judge refuses a stream that is not a store's, or less than was asked for.
func (s *natsStore) judge(info *jetstream.StreamInfo) error {
	c, want := info.Config, s.config()
	weak := func(format string, args ...any) error {
		return fmt.Errorf("%w: stream %q "+format, append([]any{ErrWeak, c.Name}, args...)...)
	}
	switch {
	case c.Metadata[markKey] == "":
		return fmt.Errorf("%w: stream %q was not made by this program (subjects %s)", ErrForeign, c.Name, strings.Join(c.Subjects, ", "))
	case c.Metadata[markKey] != version:
		return fmt.Errorf("%w: stream %q is of version %s of the store, not %s", ErrForeign, c.Name, c.Metadata[markKey], version)
	case !slices.Equal(c.Subjects, want.Subjects):
		return fmt.Errorf("%w: stream %q has other subjects: %s", ErrForeign, c.Name, strings.Join(c.Subjects, ", "))
	case c.Replicas < want.Replicas:
		return weak("has %d replicas, %d were asked for", c.Replicas, want.Replicas)
	case c.Storage == jetstream.MemoryStorage && !s.opt.memory:
		return weak("is kept in memory only; \"storage=memory\" takes it so")
	case c.Storage != jetstream.MemoryStorage && s.opt.memory:
		return fmt.Errorf("stream %q is kept in files, and not in memory only: leave storage=memory out", c.Name)
	case c.MaxAge > 0:
		return weak("forgets what is older than %s", c.MaxAge)
	case c.Discard != jetstream.DiscardNew && (c.MaxBytes > 0 || c.MaxMsgs > 0):
		return weak("drops old messages when it is full")
	case c.MaxMsgsPerSubject > 0:
		return weak("keeps only %d messages of a log", c.MaxMsgsPerSubject)
	case c.Retention != jetstream.LimitsPolicy:
		return weak("forgets what was read")
	case c.NoAck || c.Sealed:
		return weak("does not take appends that are acknowledged")
	case c.PersistMode == jetstream.AsyncPersistMode:
		return weak("acknowledges before it writes (persist mode async)")
	case !c.AllowDirect || !c.AllowAtomicPublish || !c.AllowMsgTTL:
		return weak("lacks one of allow_direct, allow_atomic, allow_msg_ttl")
	}
	return nil
}
