// Package wiretest is a server for tests that speaks as model providers do on
// the wire: Anthropic Messages, OpenAI Chat Completions and OpenAI Responses,
// over HTTP on the loopback interface.
//
// It answers with scripted replies. A [Say] describes an answer without naming a
// protocol and is put on the wire in that of the request; a file of testdata is
// a stream as a vendor publishes it; a failure is an error in each vendor's own
// words. Each of them can be cut, reset, held up or paced on the way.
//
// [New] and [NewFunc] serve in the test's process. [Serve] serves a script on a
// listener; internal/coder/wiretest/cmd is a program around it, for tests that
// start other programs.
//
// Nothing in the product imports this package.
package wiretest
