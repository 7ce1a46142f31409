package agent

import (
	"sync"

	"github.com/cambium-dev/cambium/session"
)

// visits holds back what a session says of its use until it is in use.
type visits struct {
	to   func(session.Visit)
	mu   sync.Mutex
	open bool           // guarded by mu
	last *session.Visit // guarded by mu
}

func (v *visits) visit(x session.Visit) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.open {
		v.to(x)
		return
	}
	v.last = &x
}

// release tells the visit that was held back, and those that come from now on.
func (v *visits) release() {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.open = true; v.last != nil {
		v.to(*v.last)
		v.last = nil
	}
}

// options returns how a session is opened, with its visits held back.
func (a *Agent) options() (session.Options, *visits) {
	o := a.opt.Session
	o.Later = true
	if o.OnVisit == nil {
		return o, nil
	}
	v := &visits{to: o.OnVisit}
	o.OnVisit = v.visit
	return o, v
}
