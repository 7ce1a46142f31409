// Package chat holds the controller of a conversation with the built-in agent on a
// terminal. [Run] shows a chat until it is left.
//
// A conversation routes messages between small machines. Each has one thing to do, a
// named state and fields of its own:
//
//   - the journey takes the agent to another session or entry, or sums one up;
//   - the looker reads the session for the screen, the scales find out what takes longer;
//   - the turn is the prompt that runs, the queue holds the prompts that wait;
//   - the questions are those that a person is asked;
//   - the recaller searches what was typed before;
//   - the overlay is a screen in the place of the conversation.
//
// The room prints nothing and reads no environment. What only the command can do is
// its [Host]'s; what is drawn is the rooms' below internal/tui.
package chat
