package rpc

import (
	"context"
	"slices"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
)

// Protocol is the version of the methods. The first number changes when a method or
// a member of an answer goes away or means something else.
const Protocol = "1.0"

// aboutMethods are those about the server itself.
func aboutMethods() []method {
	return []method{
		{
			name: "initialize", find: initialize, params: []param{may("clientInfo", object), may("ownEvents", flag)},
			says:  "Says what the server is and can do; it may be called first, or not at all.",
			gives: named("Initialized"),
		},
		{
			name: "rpc.discover", find: func(_ context.Context, c *call) (entry.JSON, error) { return Document(c.s.o.Version), nil },
			says:  "Answers the description of all methods, an OpenRPC document.",
			gives: loose(with("openrpc", isText, ""), with("methods", listOf(is("object")), "")),
		},
	}
}

// initialize answers what the server is. What the client says of itself is for the
// log.
func initialize(_ context.Context, c *call) (entry.JSON, error) {
	if c.args.has("ownEvents") {
		c.s.hushed.Store(!c.args.flag("ownEvents"))
	}
	if about := c.args["clientInfo"]; about != nil {
		c.s.o.Log.Debug("client", "about", string(about))
	}
	var names jsonedit.Array
	for _, m := range methods() {
		if !c.s.o.Bounds.ReadOnly || !m.writes {
			names.String(m.name)
		}
	}
	var kinds jsonedit.Array
	kinds.String(eventKinds()...)
	var server, can, o jsonedit.Object
	server.String("name", "cambium")
	if c.s.o.Version != "" {
		server.String("version", c.s.o.Version)
	}
	can.Add("methods", names.Value()).Add("events", kinds.Value()).Add("agents", jsonedit.Strings(spelling.Agents()...))
	can.Bool("readOnly", c.s.o.Bounds.ReadOnly).Bool("shared", c.s.o.Store != nil).Bool("history", c.s.o.History != nil)
	can.Bool("cancel", true).Bool("progress", true).Bool("batch", true)
	return o.String("protocolVersion", Protocol).Add("server", server.Value()).Add("capabilities", can.Value()).Value(), nil
}

// eventKinds are the kinds of session.event.
func eventKinds() []string { return events()[0].fields[1].enum }

// Document returns the description of the methods: an OpenRPC document, made from
// the table by which calls are served. version is that of the program, "" for none.
func Document(version string) entry.JSON {
	var info, o jsonedit.Object
	info.String("title", "Cambium").String("version", Protocol)
	info.String("description", "Sessions of coding agents: found, opened, read, appended to, branched and moved. JSON-RPC 2.0, one message a line; "+
		"parameters by name. The names of methods may have \"session.\" before them. A parameter that is optional may be null, which says the same as none.")
	if version != "" {
		info.String("x-program", version)
	}
	var all jsonedit.Array
	for _, m := range methods() {
		all.Add(m.document())
	}
	var schemas jsonedit.Object
	for _, s := range slices.Concat(shapes(), faultData()) {
		schemas.Add(s.name, s.document())
	}
	var told jsonedit.Array
	for _, e := range events() {
		told.Add(new(jsonedit.Object).String("name", e.name).String("summary", e.says).Add("params", e.json()).Value())
	}
	components := new(jsonedit.Object).Add("schemas", schemas.Value()).Add("errors", documentedErrors()).Value()
	return o.String("openrpc", "1.3.2").Add("info", info.Value()).Add("methods", all.Value()).
		Add("components", components).Add("x-notifications", told.Value()).Add("x-beside-result", beside().json()).Value()
}

func (s shape) document() entry.JSON {
	v := s.json()
	if s.says != "" {
		v = jsonedit.Set(v, "description", jsonedit.Quoted(s.says))
	}
	return v
}

// document describes one method.
func (m *method) document() entry.JSON {
	var params, failures jsonedit.Array
	for _, p := range m.wants() {
		var o jsonedit.Object
		o.String("name", p.name)
		if says := paramSays(p.name); says != "" {
			o.String("summary", says)
		}
		params.Add(o.Bool("required", !p.optional).Add("schema", p.schema().json()).Value())
	}
	for _, code := range slices.Sorted(slices.Values(slices.Concat(m.fails, m.usual()))) {
		failures.Add(new(jsonedit.Object).String("$ref", "#/components/errors/"+faultName(code)).Value())
	}
	var o jsonedit.Object
	o.String("name", m.name).String("summary", m.says).String("paramStructure", "by-name").Add("params", params.Value())
	o.Add("result", new(jsonedit.Object).String("name", "result").Add("schema", m.gives.json()).Value())
	return o.Add("errors", failures.Value()).Bool("x-writes", m.writes).Value()
}

// schema returns what may be given for a parameter.
func (p param) schema() schema {
	s := p.kind.schema()
	s.enum = p.oneOf
	if p.optional && s.types != nil && s.types[len(s.types)-1] != "null" {
		s = s.orNil()
	}
	return s
}

// usual are the codes of errors that a call of the method may have because of what
// kind of method it is.
func (m *method) usual() []int {
	all := []int{codeParams, codeInternal, codeCancelled, codeForbidden, codeLimit, codeAway}
	if m.on != nil {
		all = append(all, codeHandle, codeDamaged)
	}
	if m.writes {
		all = append(all, codeRefused, codeUnsaved)
	}
	if m.open != nil {
		all = append(all, codeNotFound, codeAmbiguous, codeNotSession, codeDamaged, codeRefused)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(code int) bool { return slices.Contains(m.fails, code) })
}

// faults are the codes of errors, with a name and what they mean.
func faults() []struct {
	code int
	name string
	says string
	data schema
} {
	type row = struct {
		code int
		name string
		says string
		data schema
	}
	none := schema{}
	return []row{
		{codeParse, "Parse", "not JSON", closed(without("byte", isInteger, "where it is not known", "where"))},
		{codeRequest, "Request", "JSON, and not a request", none},
		{codeMethod, "Method", "no such method", closed(with("method", isText, "its name"))},
		{codeParams, "Params", "a parameter is missing, unknown or wrong", closed(without("parameter", isText, "where it is not one alone", "which"))},
		{codeInternal, "Internal", "anything else: an I/O error, an internal one", none},
		{codeCancelled, "Cancelled", "cancelled", none},
		{codeNotFound, "NotFound", "no such session or entry", closed(without("id", isText, "where it is a session", "the entry"))},
		{codeAmbiguous, "Ambiguous", "several sessions match", closed(with("candidates", listOf(named("SessionInfo")), "which"))},
		{codeNotSession, "NotSession", "not a session", none},
		{codeDamaged, "Damaged", "damaged", none},
		{codeRefused, "Refused", "busy, or read-only", none},
		{codeUnsaved, "Unsaved", "not saved: the entries wait", closed(
			with("queued", isInteger, "how many wait"), without("id", isText, "unless the call made one", "the new entry, which is there in memory"))},
		{codeHandle, "Handle", "no session is open under this handle", closed(without("handle", isText, "when the session was closed meanwhile", "the handle"))},
		{codeForbidden, "Forbidden", "not allowed (`cambium serve`)", closed(without("scope", isText, "unless the token is one to read", "what is missing"))},
		{codeLimit, "Limit", "too much at once (`cambium serve`)", none},
		{codeAway, "Away", "the store does not answer, and what was asked for is not kept here", closed(with("away", listOf(named("AwayStore")), "the store"))},
	}
}

// faultData are the data of errors that have some, each named after its error.
func faultData() (all []shape) {
	for _, f := range faults() {
		if f.data.types != nil {
			all = append(all, shape{f.name + "Data", f.data, "The data of the error " + f.name + ": " + f.says + "."})
		}
	}
	return all
}

func faultName(code int) string {
	for _, f := range faults() {
		if f.code == code {
			return f.name
		}
	}
	return ""
}

// documentedErrors are the errors for the components of the document.
func documentedErrors() entry.JSON {
	var all jsonedit.Object
	for _, f := range faults() {
		var o jsonedit.Object
		o.Int("code", int64(f.code)).String("message", f.says)
		all.Add(f.name, o.Value())
	}
	return all.Value()
}
