package chatview

import (
	"github.com/cambium-dev/cambium/internal/consent"
	"github.com/cambium-dev/cambium/message"
)

// A Row is one entry of the transcript.
type Row struct {
	// Key names it for good: the id of its entry. "" is what Rows.Key says of
	// Entry.
	Key string
	// Entry is its position.
	Entry int
	// Foreign says that another program wrote it, on a branch of its own.
	Foreign bool
}

// A Body is what a row shows; without parts the row is not shown at all.
type Body struct {
	Key   string
	Parts []Part

	form  *Form // it was laid out in, nil for none
	lines []string
}

// What comes in. The messages are those that the conversation and the session
// bring; keys and the mouse come from Bubble Tea.
type (
	// Rows brings the whole transcript, in order, at first and whenever it
	// changed. Bodies are some of it that are known already. Reset forgets what
	// was known and goes to the end. Key names the rows that have no key, as it is
	// asked for; it is called from Update, and waits for nothing. Had reports whether the session had the entry
	// of a key when they were read: what was said since stays in sight without its
	// row, and what it had and has no row goes. nil keeps it, but for a Reset.
	Rows struct {
		Rows   []Row
		Key    func(entry int) string
		Bodies []Body
		Reset  bool
		Had    func(key string) bool
	}
	// Drawn tells that the first screen after a Reset had the time to be drawn:
	// what is not on it may be read now.
	Drawn struct{}
	// Bodies answers Options.Load.
	Bodies struct{ All []Body }
	// Began tells that the agent works, with what words.
	Began struct{ Doing string }
	// Ended tells that it does no more.
	Ended struct{}
	// AnswerBegan tells that an answer begins. What came of another that has not
	// ended counts for nothing.
	AnswerBegan struct{}
	// Delta is a piece of the answer: of reasoning, if Thinking, else of text.
	Delta struct {
		Text     string
		Thinking bool
	}
	// AnswerEnded tells that the answer is in the transcript under a key.
	AnswerEnded struct{ Key string }
	// ToolBegan tells that a tool is run.
	ToolBegan struct {
		ID, Name  string
		Arguments message.JSON
	}
	// ToolWrote tells what it put out.
	ToolWrote struct{ ID, Text string }
	// ToolEnded tells that its result is in the transcript under a key, as Parts.
	ToolEnded struct {
		ID, Key string
		Parts   []Part
	}
	// Said tells that what was waiting was said. With a key it is in the transcript
	// under it, as Parts.
	Said struct {
		Text, Key string
		Parts     []Part
	}
	// Ask asks whether a tool may be run. It is answered by an Answer, unless
	// Withdrawn comes before. Keys answer it when Seen came while nobody typed, or
	// after it was gone to with a key. What answers Yes or Always does so when all
	// rows of it were in sight since: whoever has not seen the end allows nothing.
	Ask struct {
		ID string
		consent.Call
	}
	// Lapsed answers Lapsing, some seconds later.
	Lapsed struct{ Seq int }
	// Seen answers Asking, when a person had a moment to look.
	Seen struct{ ID string }
	// Withdrawn takes the question back.
	Withdrawn struct{ ID string }
	// Told is a notice that a person should read. It stays until a key dismisses
	// it, or too many others came.
	Told struct {
		Text string
		Bad  bool
	}
	// Page is a text that is read on its own, until a key closes it.
	Page struct {
		Title string
		Lines []string

		top int // first line in sight
	}
	// Switched tells that the session is another one: the loader stops, the
	// state, what waits, tools and what is being said are cleared (published P3).
	// Rows and Todos follow; Text is what is told then.
	Switched struct{ Text string }
	// Todos are what is to be done; none takes them off the screen.
	Todos struct{ All []Todo }
	// Typed puts a text into the editor, in the place of what is there. That is
	// among the prompts that were typed before then, unless it was being edited.
	Typed struct{ Text string }
	// TakenBack answers TakeBack with what was not said yet: it is put into the
	// editor, before what is there.
	TakenBack struct{ Text string }
	// Opening tells that another screen is being made ready; "" that it is no more.
	Opening struct{ What string }
	// Recalled answers Recall with the prompts that were found, newest first.
	Recalled struct {
		Seq int
		All []Choice
	}
	// History are prompts that were typed before the screen was there, newest first.
	History struct{ All []string }
	// Choices answers Complete with what may stand in the place of its word.
	Choices struct {
		Seq int
		All []Choice
	}
)

// A Todo is something to be done.
type Todo struct {
	Text string
	// State is as stored: "completed", "in_progress", "pending" or the like.
	State string
}

// A Choice is something that may be typed.
// Arguments are what may follow.
type Choice struct{ Text, Arguments, Help string }

// State is what the line at the bottom says. It is a message, too.
type State struct {
	Name, Model, Thinking, Mode string
	// Dir is the session's directory, for people. It is shown where nothing was
	// said yet.
	Dir string
	// Tokens are in the context, Window is what the model takes; 0 for what is
	// not known.
	Tokens, Window int
	// Cost is in dollars.
	Cost float64
	// Unsaved is how many entries are in memory only.
	Unsaved int
	// Unsent is how many lines wait here for a store that is away.
	Unsent int
	// Others are who else has the session open.
	Others string
	// Unseen counts what goes to the model and is not shown, "" for nothing; the
	// command /context shows it.
	Unseen string
}

// What leaves: what a person wants.
type (
	// Send wants something to be said, or the command to be run that the line is.
	// Queue says that the agent works: Steer between its steps, FollowUp when it
	// would end.
	Send struct {
		Text  Line
		Queue Queue
	}
	// Abort wants what runs to be stopped. Waiting is what was to be said; it is
	// in the editor again.
	Abort struct{}
	// TakeBack wants what waits not to be said; it is answered by TakenBack.
	TakeBack struct{}
	// Withdraw wants what is being opened not to be shown.
	Withdraw struct{}
	// Recall wants the prompts that match a query; all for "".
	Recall struct {
		Seq   int
		Query string
	}
	// Quit wants to leave.
	Quit struct{}
	// Tree wants the tree of the session.
	Tree struct{}
	// Command wants a command to be carried out: /NAME ARGUMENTS.
	Command struct{ Name, Arguments string }
	// Lapsing tells that a key does something if it is pressed again; it is
	// answered by Lapsed.
	Lapsing struct{ Seq int }
	// Asking tells that an Ask is shown now; it is answered by Seen.
	Asking struct{ ID string }
	// Answer answers an Ask.
	Answer struct {
		ID     string
		Answer Reply
	}
	// Edit wants the text to be edited in the person's own editor; it is answered
	// by Typed.
	Edit struct{ Text string }
	// Complete wants to know what may stand in the place of a word: of a command's
	// argument, or of a file after "@" where Command is "".
	Complete struct {
		Seq           int
		Command, Word string
	}
)

// A Queue is when something is said.
type Queue uint8

// The queues.
const (
	Now Queue = iota
	Steer
	FollowUp
)

// A Reply is what a person says to an Ask.
type Reply uint8

// The replies.
const (
	No Reply = iota
	Yes
	Always
)
