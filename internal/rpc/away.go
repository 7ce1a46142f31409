package rpc

import (
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/offline"
)

// A store that does not answer is said in data: beside the result, which has its
// published shape, where something was found, and as an error of its own where nothing
// was.

// judge returns what a call answers, whose look at the store is over.
func (c *call) judge(look offline.Look, result entry.JSON, err error) (entry.JSON, error) {
	store := c.s.o.Offline
	found := err == nil && (c.m.shows == nil || c.m.shows(result))
	if err != nil {
		code := faultOf(err).code
		none := code == codeNotFound && !c.onHandle()
		if !none && (code != codeInternal || !store.Lacks(err)) {
			return result, err
		}
	}
	switch outage, why := look.Outage(found); outage {
	case offline.Partly:
		c.away = reports(store.Report(why))
	case offline.Unreachable:
		m := store.Missing(why)
		return nil, &fault{code: codeAway, message: m.Error(), data: new(jsonedit.Object).Add("away", reports(m.Report)).Value()}
	}
	return result, err
}

// reports are what is said of stores that do not answer.
func reports(all ...offline.Report) entry.JSON {
	var list jsonedit.Array
	for _, r := range all {
		var o jsonedit.Object
		list.Add(o.String("store", r.Store).String("error", r.Error).Int("kept", int64(r.Kept)).Value())
	}
	return list.Value()
}

// showing has methods say that they answer with what there is: an answer that has
// nothing is one only of a store that answers.
func showing(all []method) []method {
	for i := range all {
		all[i].shows = some
	}
	return all
}

// some reports whether an answer has something.
func some(result entry.JSON) bool {
	return result != nil && !jsonedit.IsNull(result) && (jsonedit.Kind(result) != '[' || jsonedit.Len(result) > 0)
}

// nothingKept says of an answer that copies give none: what is wrong with one is not
// wrong in the store.
func nothingKept(entry.JSON) bool { return false }
