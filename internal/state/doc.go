// Package state is what Cambium keeps about sessions that belongs in nobody's
// agent directory. It lies in the state directory of Cambium, which no other
// program reads.
//
// For now that is drafts. A draft is the session file of a session that has no
// file yet: its header and the entries appended so far, so that a prompt is not
// lost when the process is killed before the model has answered. It is a valid
// session file; what makes it a draft stands in its header line, as
//
//	"cambium":{"draft":{"path":PATH,"agent":DIALECT}}
//
// PATH being where the session is to be written. A draft is made by the first
// append and removed after the session file is written; the file itself never
// holds the member.
//
// This package says where drafts are and how they are marked. It does not read
// or write them: a draft is a log like any other.
package state
