package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/message"
	"github.com/cambium-dev/cambium/storage"
)

// Append adds an entry behind the leaf, which it becomes, and returns its id.
// It is in memory at once; a session whose log exists has it there, too, when
// Append returns, as durable as Options.Sync says.
//
// An error with an id means that the entry is in memory but not saved
// ([ErrUnsaved]): it stays queued, and each later call tries again. An error
// without an id means that nothing happened. A label's target must exist, and a body
// has to say something to some program: otherwise the error is an [entry.BodyError].
func (s *Session) Append(ctx context.Context, body entry.Body) (entry.ID, error) {
	p, err := func() (appended, error) {
		s.mu.Lock()
		defer s.unlock() // also when the clock or a store of the caller's panics
		return s.put(powers.WithoutWaiting(ctx), body)
	}()
	if p.log != nil && errors.Is(err, storage.ErrLocked) {
		p.seq, err = s.saveSoon(ctx, p.log)
	}
	if err != nil {
		return p.id, err
	}
	// Others append meanwhile: who waits for the disk at once shares a sync.
	err = p.sync(ctx)
	if err != nil {
		s.mu.Lock()
		s.heard()
		s.unlock()
	}
	return p.id, err
}

// AppendMessage appends what a user, an assistant or a tool said, as Append does.
func (s *Session) AppendMessage(ctx context.Context, m message.Message) (entry.ID, error) {
	return s.Append(ctx, &entry.MessageBody{Message: message.Encode(m)})
}

// append is Append with the lock held throughout.
func (s *Session) append(ctx context.Context, body entry.Body) (entry.ID, error) {
	p, err := s.put(ctx, body)
	if err == nil {
		err = p.sync(ctx)
		s.heard()
	}
	return p.id, err
}

// appended is an entry that is in memory, and in the log if there is one.
type appended struct {
	id  entry.ID
	log *journal.Journal
	seq int64 // what is to be synced, 0 for nothing
}

// sync makes the entry as durable as was asked for.
func (p appended) sync(ctx context.Context) error {
	if p.seq == 0 {
		return nil
	}
	return unsaved(p.log.SyncTo(ctx, p.seq))
}

// put is Append without the sync. An error with an id means that the entry
// waits. It is called with the lock held.
func (s *Session) put(ctx context.Context, body entry.Body) (p appended, err error) {
	if err := s.writable(); err != nil {
		return p, err
	}
	if err := ctx.Err(); err != nil {
		return p, err
	}
	if err := s.cur.check(body); err != nil {
		return p, err
	}
	s.stillHeld(ctx)
	id, err := s.mint.Entry(s.cur.taken)
	if err != nil {
		return p, err
	}
	stamp := entry.Stamp{ID: id, Parent: s.cur.parent(), Time: s.opt.Now().UnixMilli()}
	line, err := entry.Encode(nil, stamp, spelling.Complete(s.cur.rules, id, body))
	if err != nil {
		return p, err
	}
	if err := entry.UsableBody(body, line); err != nil {
		return p, fmt.Errorf("append entry: %w", err)
	}
	s.cur.mine(id, line)
	pos, seq, err := s.cur.log.Put(ctx, line, finishes(entry.BodyKind(body)))
	if pos < 0 {
		return p, err
	}
	p = appended{id, s.cur.log, seq}
	s.followed()
	if at := s.cur.log.List().Find(id); at >= 0 {
		pos = at
	}
	s.cur.leaf, s.cur.leafID = pos, id
	if entry.BodyKind(body) == entry.SessionInfo {
		s.called.own = true
		s.cur.readTitle()
	}
	s.cur.due = s.cur.due || s.asks(s.cur.log.List().Role(pos))
	if s.cur.waits() {
		// Whatever became of the draft: the session itself is written now.
		err = s.firstWrite(ctx)
	}
	if s.opt.OnEvent != nil {
		s.tell(Event{Kind: Appended, IDs: []entry.ID{id}})
	}
	return p, unsaved(err)
}

// finishes reports whether an entry ends a message, so that it is worth a sync.
func finishes(k entry.Kind) bool {
	switch k {
	case entry.Message, entry.CustomMessage, entry.Compaction, entry.BranchSummary:
		return true
	}
	return false
}

// asks reports whether an entry of this role asks for the first write.
func (s *Session) asks(r entry.Role) bool {
	switch s.opt.FirstWrite {
	case AsProgram:
		if spelling.FirstUser(s.cur.rules.Name, s.opt.Version) {
			return r == entry.RoleUser || r == entry.RoleAssistant
		}
	case FirstUser:
		return r == entry.RoleUser || r == entry.RoleAssistant
	case Immediately:
		return true
	}
	return r == entry.RoleAssistant
}

// firstWrite writes the session if it has no log yet and one is due.
func (s *Session) firstWrite(ctx context.Context) error {
	if !s.cur.waits() {
		return nil
	}
	return s.cur.log.Materialise(ctx)
}

// waits reports whether the first write is due and has not been done.
func (b *book) waits() bool { return b.due && b.log.Held() && b.log.Name() != "" }

// said reports whether there is anything in a session but what it is set to.
func (b *book) said() bool {
	list := b.log.List()
	for i := range list.Len() {
		switch list.Kind(i) {
		case entry.ModelChange, entry.ThinkingLevelChange, entry.ServiceTierChange, entry.ModeChange, entry.MCPToolSelection, entry.SessionInit:
		default:
			return true
		}
	}
	return false
}

// check refuses what the programs refuse.
func (b *book) check(body entry.Body) error {
	if body == nil || entry.BodyKind(body) != entry.Label {
		return nil
	}
	target := ""
	switch l := body.(type) {
	case *entry.LabelBody:
		target = l.TargetID
	case *entry.Verbatim:
		target, _ = jsonedit.Text(l.Members, "targetId")
	}
	if target == "" {
		return fmt.Errorf("append label: %w: it has no targetId", entry.ErrNotBody)
	}
	_, err := b.find(target)
	return err
}

// taken reports whether an entry has the id.
func (b *book) taken(id string) bool { return b.log.List().Find(id) >= 0 }

// parent returns the id of the entry that the next one follows: the leaf's, or
// that of the nearest entry above it which has an id to be named by.
func (b *book) parent() *string {
	if b.leaf >= 0 && b.leafID != "" {
		return &b.leafID
	}
	for _, i := range slices.Backward(b.tree.Path(b.leaf, healed)) { // which ends in a circle, too
		if id, ok := b.log.List().ID(i); ok && id != "" {
			return &id
		}
	}
	return nil
}
