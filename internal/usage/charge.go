package usage

import "github.com/cambium-dev/cambium/dialect"

// A Kind says what a charge is for.
type Kind uint8

// The kinds of charges.
const (
	// Answer is a model's answer in the conversation.
	Answer Kind = iota
	// Compaction is a summary of what was older.
	Compaction
	// Summary is a summary of a branch that was left.
	Summary
	// Subagent is what a tool says that its own models took: omp's task, pi's
	// subagent.
	Subagent
	// Aside is a call outside the conversation: an entry usage or model_usage.
	Aside
	// Run is a run of a tool that says nothing of models. It costs nothing.
	Run

	kinds
)

var kindNames = [kinds]string{"answer", "compaction", "summary", "subagent", "aside", "run"}

// String returns the name of a kind.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return ""
}

// An Origin says where a cost comes from.
type Origin uint8

// The origins.
const (
	// Unknown is a cost that nobody knows. It is 0 in sums, and counted apart.
	Unknown Origin = iota
	// Stored is a cost that the program computed and stored.
	Stored
	// Billed is a cost that the provider said: a bare number as the cost of an
	// answer, as OpenRouter spells what it took.
	Billed
	// Priced is a cost that was computed here from a table of prices, because
	// nothing is stored.
	Priced

	origins
)

var originNames = [origins]string{"unknown", "stored", "billed", "priced"}

// String returns the name of an origin.
func (o Origin) String() string {
	if o < origins {
		return originNames[o]
	}
	return ""
}

// Tokens counts tokens by kind.
type Tokens struct {
	// Input are those of the prompt that were neither read from the cache nor
	// written to it.
	Input, Output         int64
	CacheRead, CacheWrite int64
	// CacheWriteLong is the part of CacheWrite that is kept for an hour, Reasoning
	// the part of Output that was reasoning.
	CacheWriteLong, Reasoning int64
}

// add adds others.
func (t *Tokens) add(o *Tokens) {
	t.Input += o.Input
	t.Output += o.Output
	t.CacheRead += o.CacheRead
	t.CacheWrite += o.CacheWrite
	t.CacheWriteLong += o.CacheWriteLong
	t.Reasoning += o.Reasoning
}

// All is how many there are: what is a part of another count is not added to it.
func (t *Tokens) All() int64 { return t.Input + t.Output + t.CacheRead + t.CacheWrite }

// NoTime is the time of a charge that does not say when it was.
const NoTime = -1 << 63

// A Charge is one call of a model, or one run of a tool.
type Charge struct {
	Kind Kind
	// Time is in milliseconds since 1970, or NoTime.
	Time int64
	// Line is the number of its line, from 1: as it is read, where another program keeps the
	// session in a form of its own.
	Line int
	// Active says that it is on the branch on which the session goes on.
	Active bool
	// Aborted says that the answer was stopped, Failed that it or the run of the tool
	// ended with an error.
	Aborted, Failed bool
	// Ran says that it is the run of a tool, Tool of which one, and Took how long it
	// was in milliseconds, 0 if that is not recorded.
	Ran  bool
	Tool string
	Took int64
	// Provider and Model name the model, Role what it was for, if the entry says so, and
	// Branch the git branch, if the session or the entry does.
	Provider, Model, Role, Branch string
	Tokens                        Tokens
	Cost                          Micros
	Origin                        Origin
	// Absurd says that it has a number that cannot be: a negative one, one that is
	// too large, or what is no number. That number is not counted.
	Absurd bool

	keys keys
}

// keys are hashes by which the copies of a charge are known, 0 for none.
type keys struct {
	// entry is of the entry's id, its time and its usage.
	entry uint64
	// response is of the provider's id of the response and the message's time, unique of
	// that id, or of the call's, where it is never given twice.
	response, unique uint64
	// bare is of all but ids. It finds the copies of entries of the first version, which
	// have none, and of those whose copies get others.
	bare uint64
}

// Spends reports whether it is a call of a model.
func (c *Charge) Spends() bool { return c.Kind != Run }

// ModelName returns the model as "provider/id", "" when it is not recorded.
func (c *Charge) ModelName() string {
	if c.Provider == "" || c.Model == "" {
		return c.Model
	}
	return c.Provider + "/" + c.Model
}

// A Ledger is the charges of one session.
type Ledger struct {
	// Path is the session's file; ID, Parent and CWD are the header's. Parent is an
	// id or a path.
	Path, ID, Parent, CWD string
	// Agent is the dialect, Title what the session is called.
	Agent, Title string
	// Created is the header's time in milliseconds since 1970, or NoTime.
	Created int64
	// Charges are in the order of the file.
	Charges []Charge
}

// Numbered reports whether the lines of its charges are those of the file: they are not where
// another program keeps the session in a form of its own.
func (l *Ledger) Numbered() bool { return CopiesOf(dialect.Name(l.Agent)) == ByMoment }
