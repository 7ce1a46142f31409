package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
)

// Headers of JetStream.
const (
	expectHeader = "Nats-Expected-Last-Subject-Sequence"
	// expectSubjectHeader is the subject that is meant, if it is another one.
	expectSubjectHeader = "Nats-Expected-Last-Subject-Sequence-Subject"
	ttlHeader           = "Nats-TTL"
	batchHeader         = "Nats-Batch-Id"
	orderHeader         = "Nats-Batch-Sequence"
	commitHeader        = "Nats-Batch-Commit"
)

// A query asks for one message: the one of a number, the last of a subject, or
// the next of a subject from a number on.
type query struct {
	Seq  uint64 `json:"seq,omitzero"`
	Last string `json:"last_by_subj,omitzero"`
	Next string `json:"next_by_subj,omitzero"`
	// Lasts are subjects, of each of which a page has the last message.
	Lasts []string `json:"multi_last,omitempty"`
	// Batch and MaxBytes are those of a page.
	Batch    int `json:"batch,omitzero"`
	MaxBytes int `json:"max_bytes,omitzero"`
}

// get asks the stream's leader, who has all that was acknowledged. There is no
// message if it is nil.
func (s *natsStore) get(ctx context.Context, q query) (m *message, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		m, err = s.getFrom(ctx, s.opt.Stream, q)
		return err
	})
	return m, err
}

func (s *natsStore) getFrom(ctx context.Context, stream string, q query) (*message, error) {
	var answer struct {
		Error   *apiError `json:"error"`
		Message struct {
			Subject string    `json:"subject"`
			Seq     uint64    `json:"seq"`
			Header  []byte    `json:"hdrs"`
			Data    []byte    `json:"data"`
			Time    time.Time `json:"time"`
		} `json:"message"`
	}
	if err := s.call(ctx, "STREAM.MSG.GET."+stream, q, &answer); err != nil {
		return nil, err
	}
	switch {
	case answer.Error != nil && answer.Error.ErrCode == codeNotFound:
		return nil, nil
	case answer.Error != nil:
		return nil, answer.Error
	case len(answer.Message.Header) > mostHeaders:
		return nil, errHeaders
	}
	a := &answer.Message
	return &message{
		subject: a.Subject, seq: a.Seq, time: a.Time, data: a.Data,
		record: recordOf(a.Header, header), deleted: recordOf(a.Header, operationHeader) != "",
	}, nil
}

// call makes one request of JetStream.
func (s *natsStore) call(ctx context.Context, what string, request, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	reply, err := s.nc.RequestWithContext(ctx, "$JS.API."+what, body)
	if err != nil {
		return s.permitted("$JS.API."+what, err)
	}
	if err := json.Unmarshal(reply.Data, answer); err != nil {
		return fmt.Errorf("%w: %w", errRecord, err)
	}
	return nil
}

// state returns the number of the stream's last message, and the server's time.
func (s *natsStore) state(ctx context.Context) (seq uint64, now time.Time, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		var answer struct {
			Error *apiError `json:"error"`
			State struct {
				Last uint64 `json:"last_seq"`
			} `json:"state"`
			Now time.Time `json:"ts"`
		}
		if err := s.call(ctx, "STREAM.INFO."+s.opt.Stream, struct{}{}, &answer); err != nil {
			return err
		}
		if answer.Error != nil {
			return answer.Error
		}
		seq, now = answer.State.Last, answer.Now
		return nil
	})
	return seq, now, err
}

// draft makes a message. expect is the number that the last one of its subject
// must have; below 0 for any.
func draft(subject, record string, body []byte, expect int64) *nats.Msg {
	m := nats.NewMsg(subject)
	m.Data = body
	m.Header[header] = []string{record}
	if expect >= 0 {
		m.Header[expectHeader] = []string{strconv.FormatInt(expect, 10)}
	}
	return m
}

// publish stores messages, all or none, and returns the number of the last.
func (s *natsStore) publish(ctx context.Context, drafts ...*nats.Msg) (seq uint64, err error) {
	if len(drafts) == 1 {
		return s.send(ctx, drafts[0])
	}
	id := strconv.FormatUint(newToken(), 36)
	for i, m := range drafts {
		m.Header[batchHeader] = []string{id}
		m.Header[orderHeader] = []string{strconv.Itoa(i + 1)}
		switch {
		case i == len(drafts)-1:
			m.Header[commitHeader] = []string{"1"}
			return s.send(ctx, m)
		case i == 0 || i%64 == 0:
			// An answer now and then: the server says what is wrong, and is not
			// sent more than it can take.
			if _, err := s.send(ctx, m); err != nil {
				return 0, uncommitted(err)
			}
		default:
			if err := s.nc.PublishMsg(m); err != nil {
				return 0, uncommitted(err)
			}
		}
	}
	return 0, nil
}

// errUncommitted is a batch whose last message was not sent: none of it takes
// place.
var errUncommitted = &apiError{Code: 503, ErrCode: codeBatch, Text: "batch broken off"}

func uncommitted(err error) error {
	if fateOf(err) == unknown {
		return errors.Join(err, errUncommitted)
	}
	return err
}

// send publishes one message and waits for the answer.
func (s *natsStore) send(ctx context.Context, m *nats.Msg) (seq uint64, err error) {
	var reply *nats.Msg
	err = s.timed(ctx, s.opt.Timeout, func(ctx context.Context) error {
		reply, err = s.nc.RequestMsgWithContext(ctx, m)
		return err
	})
	if err != nil {
		return 0, s.permitted(m.Subject, err)
	}
	if len(reply.Data) == 0 {
		return 0, nil // within a batch
	}
	var ack struct {
		Error *apiError `json:"error"`
		Seq   uint64    `json:"seq"`
	}
	if err := json.Unmarshal(reply.Data, &ack); err != nil {
		return 0, fmt.Errorf("%w: %w", errRecord, err)
	}
	if ack.Error != nil {
		return 0, ack.Error
	}
	s.away.Store(false)
	return ack.Seq, nil
}

// errStale is an answer of a server that lags behind the leader.
var errStale = errors.New("a replica lags behind")

// errMany is the answer to a question for the last messages of more subjects than
// a server answers at once.
var errMany = errors.New("too many subjects at once")

// page reads messages of a subject from a number on, about max bytes of them,
// from any server that has them. There are none left if it is empty.
func (s *natsStore) page(ctx context.Context, q query) (list []*message, err error) {
	q.Batch, q.MaxBytes = 1000, max(q.MaxBytes, 1)
	body, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	inbox := s.nc.NewInbox()
	sub, err := s.nc.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := s.nc.PublishRequest("$JS.API.DIRECT.GET."+s.opt.Stream, inbox, body); err != nil {
		return nil, err
	}
	for {
		var m *nats.Msg
		err := s.timed(ctx, s.opt.Timeout, func(ctx context.Context) error {
			m, err = sub.NextMsgWithContext(ctx)
			return err
		})
		if err != nil {
			return nil, err
		}
		switch status := m.Header.Get("Status"); status {
		case "":
		case "204", "404":
			return list, nil
		case "413":
			return nil, errMany
		case "503":
			return nil, nats.ErrNoResponders
		default:
			return nil, fmt.Errorf("server: %s %s", status, m.Header.Get("Description"))
		}
		one := &message{subject: m.Header.Get("Nats-Subject"), data: m.Data, record: first(m.Header, header)}
		if one.seq, err = strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64); err != nil {
			return nil, errRecord
		}
		if one.time, err = time.Parse(time.RFC3339Nano, m.Header.Get("Nats-Time-Stamp")); err != nil {
			return nil, errRecord
		}
		if list = append(list, one); len(list) > q.Batch {
			return nil, errRepeat // it does not stop at what was asked for
		}
	}
}

// first returns the value of a header that is written as it is.
func first(h nats.Header, key string) string {
	if v := h[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// purge takes the messages of a subject out of the stream, but for the last
// keep ones.
func (s *natsStore) purge(ctx context.Context, subject string, keep int) error {
	return s.purgeBut(ctx, subject, keep, 0)
}

// purgeBut is purge for the messages below a number, if it is not 0.
func (s *natsStore) purgeBut(ctx context.Context, subject string, keep int, below uint64) error {
	return s.do(ctx, func(ctx context.Context) error {
		var answer struct {
			Error *apiError `json:"error"`
		}
		request := struct {
			Subject string `json:"filter"`
			Keep    int    `json:"keep,omitzero"`
			Below   uint64 `json:"seq,omitzero"`
		}{subject, keep, below}
		if err := s.call(ctx, "STREAM.PURGE."+s.opt.Stream, request, &answer); err != nil {
			return err
		}
		if answer.Error != nil {
			return answer.Error
		}
		return nil
	})
}

// tailOf is what follows a prefix in a subject.
func tailOf(subject, prefix string) string { return strings.TrimPrefix(subject, prefix) }
