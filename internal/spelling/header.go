package spelling

import (
	"slices"

	"github.com/cambium-dev/cambium/entry"
)

// Fresh is what a session that comes from another one has of its own.
type Fresh struct {
	ID        string
	Timestamp string // toISOString
	CWD       string
}

// Source is the session that another one comes from.
type Source struct {
	Header *entry.Header
	// Path is where it is, "" for one that is kept in memory only.
	Path string
	// Title and TitleSource are what it is called now; the header may say
	// something older.
	Title, TitleSource string
}

// ForkHeader returns the header of a fork in place: the same entries under a new
// id. Its Raw is the line.
func (d Dialect) ForkHeader(from Source, own Fresh) entry.Header {
	h := d.child(from, own, d.ParentPath, d.ForkTitle)
	if d.ExtraDirs {
		h.AdditionalDirectories = slices.Clone(from.Header.AdditionalDirectories)
	}
	h.Raw = h.Encode(d.ForkOrder...)
	return h
}

// ForkFromHeader returns the header of a session that begins, in another
// directory, with the entries of this one. Its Raw is the line.
func (d Dialect) ForkFromHeader(from Source, own Fresh) entry.Header {
	h := d.child(from, own, d.ParentPath, d.ForkTitle)
	if d.ExtraDirs {
		h.AdditionalDirectories = slices.DeleteFunc(slices.Clone(from.Header.AdditionalDirectories),
			func(dir string) bool { return dir == own.CWD })
	}
	h.Raw = h.Encode(d.ForkFromOrder...)
	return h
}

// BranchHeader returns the header of a session that holds one branch of this one
// (published createBranchedSession). Its Raw is the line.
func (d Dialect) BranchHeader(from Source, own Fresh) entry.Header {
	h := d.child(from, own, true, d.BranchTitle)
	h.ProviderPromptCacheKey = ""
	if d.ExtraDirs {
		h.AdditionalDirectories = slices.Clone(from.Header.AdditionalDirectories)
	}
	h.Raw = h.Encode(d.BranchOrder...)
	return h
}

// child returns a header with what all three have in common.
func (d Dialect) child(from Source, own Fresh, byPath, titled bool) entry.Header {
	h := entry.Header{
		Version: entry.CurrentVersion, ID: own.ID, Timestamp: own.Timestamp, CWD: own.CWD,
		ParentSession: from.Header.ID,
	}
	if byPath {
		h.ParentSession = from.Path
	}
	if titled && !d.NameByEntry {
		h.Title, h.TitleSource = from.Title, from.TitleSource
	}
	if d.CacheKey {
		h.ProviderPromptCacheKey = from.Header.ProviderPromptCacheKey
		if h.ProviderPromptCacheKey == "" {
			h.ProviderPromptCacheKey = from.Header.ID
		}
	}
	return h
}
