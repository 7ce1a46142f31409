package catalog

import (
	"context"
	"iter"

	"github.com/cambium-dev/cambium/internal/source"
)

// A Record is what an index keeps of one session file.
type Record struct {
	// Path is the file's name, absolute.
	Path string
	// Stamp is the file's state that was read; of a symbolic link that of the
	// file it leads to.
	Stamp source.Stamp
	// Info describes the session. Its Text, Busy and Pinned are not kept.
	Info Info
	// None says that the file was read and is no session.
	None bool
}

// An Index keeps what was found, so that a file that did not change is never
// read again. It is never the truth and never required: an error of it is told
// once ([Options.Trouble]) and the answer is complete without it. It must be
// safe for concurrent use.
type Index interface {
	// Known yields what is kept of every file. An error ends it. A listing asks
	// for it while it looks for files.
	Known(ctx context.Context) iter.Seq2[Record, error]
	// Keep replaces what is kept of the files of records and forgets those of
	// gone. It does not hold on to either.
	Keep(ctx context.Context, records []Record, gone []string) error
}

// A BundleIndex is an [Index] that hands its records over as it keeps them: of
// most, little is asked.
type BundleIndex interface {
	Index
	// Bundles yields what is kept, or of one directory if dir is not "". An error
	// ends it. No method is called meanwhile.
	Bundles(ctx context.Context, dir string) iter.Seq2[Kept, error]
}

// A Kept is a bundle that an index keeps.
type Kept struct {
	// Dir is the directory of the files, without a slash at its end.
	Dir string
	// Bundle is what [Rebundle] made; nobody changes it any more.
	Bundle Bundle
}

// bundles yields what any index keeps.
func bundles(ctx context.Context, index Index, dir string) iter.Seq2[Kept, error] {
	if b, ok := index.(BundleIndex); ok {
		return b.Bundles(ctx, dir)
	}
	return func(yield func(Kept, error) bool) {
		dirs := map[string][]Record{}
		for r, err := range index.Known(ctx) {
			if err != nil {
				yield(Kept{}, err)
				return
			}
			at := dirOf(r.Path)
			dirs[at] = append(dirs[at], r)
		}
		for dir, records := range dirs {
			for _, b := range Rebundle(nil, records, nil) {
				if !yield(Kept{dir, b}, nil) {
					return
				}
			}
		}
	}
}

// dirOf returns the directory of a file, without a slash at its end.
func dirOf(path string) string { return path[:max(0, lastSlash(path))] }
