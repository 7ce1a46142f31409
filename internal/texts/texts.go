// Package texts is what package search and the index that keeps texts for it have
// to say to each other. What is kept of a session is made and read by search: an
// index stores it and finds words in it.
package texts

import (
	"context"
	"iter"

	"github.com/cambium-dev/cambium/internal/source"
)

// An Index keeps the texts of sessions.
type Index interface {
	// Texts returns a view of the texts as they are now. The caller closes it.
	Texts(ctx context.Context) (View, error)
	// KeepTexts replaces the texts of files. A file whose chunks end with an
	// error is forgotten. It keeps what is complete when it fails or ctx
	// ends.
	KeepTexts(ctx context.Context, files iter.Seq[File]) error
}

// A View is of kept texts that nobody changes. Chunk is safe for concurrent
// use, nothing else is; no method is called while what another yields is read.
type View interface {
	// Known yields what is kept of every file.
	Known(ctx context.Context) iter.Seq2[Record, error]
	// Postings yields the chunks in which a folded word stands, or with prefix
	// words that begin so, and at which level; a chunk may come at several.
	Postings(ctx context.Context, word string, prefix bool) iter.Seq2[Posting, error]
	// Lacking yields chunks that surely do not have a mark, ascending by text and
	// chunk: of those that do not, most. It is asked of some texts, ascending, or
	// of all if there are none.
	Lacking(ctx context.Context, mark uint32, texts []int64) iter.Seq2[Place, error]
	// Chunk returns a chunk of the text with that number, in buf if it fits.
	Chunk(ctx context.Context, text int64, chunk int, buf []byte) ([]byte, error)
	// Close ends the view.
	Close() error
}

// A Vocabulary is a View that knows its words.
type Vocabulary interface {
	// Words yields every folded word that stands in a kept text, each once. A word is
	// valid until the next.
	Words(ctx context.Context) iter.Seq2[string, error]
}

// A Record says what is kept of the text of a file.
type Record struct {
	Path  string
	Stamp source.Stamp
	// Text is the number of the text. No other text ever has it.
	Text int64
	// Chunks is how many there are, numbered from 0.
	Chunks int
	// Size is how much text it is, in bytes, without names of the session.
	Size int64
}

// A Posting says that a word stands in a chunk.
type Posting struct {
	Text  int64
	Chunk int
	Level uint8
}

// A Place is a chunk of a text.
type Place struct {
	Text  int64
	Chunk int
}

// A File is the text of a file to be kept.
type File struct {
	Path   string
	Stamp  source.Stamp
	Chunks iter.Seq2[Chunk, error]
}

// A Chunk is some of a session's text, packed.
type Chunk struct {
	Data []byte
	// Size is how much text it is, in bytes, without names of the session.
	Size int
	// Words holds, by level, the words in it: folded, letters and digits of
	// ASCII and other characters only, each once, separated by spaces.
	Words [4][]byte
	// Marks are what it is found by besides, each once, of MarkBits bits.
	Marks []uint32
}

// MarkBits is how many bits a mark has.
const MarkBits = 20
