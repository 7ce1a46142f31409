package catalog

import (
	"bytes"
	"context"
	"io/fs"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// A folder is a directory with session files.
type folder struct {
	dir   string
	agent dialect.Name // "" when no home says
	// parts are what the index keeps of it; gone says which records of them are
	// of files that are not there any more.
	parts []Bundle
	gone  []int32
	// roll has the files that no record says enough of; known says of which a
	// record is right nevertheless, nil for none.
	roll  *vfs.Roll
	known []bool
	links map[string]link // by name; nil for none
	// hidden says that there are files whose names begin with a dot.
	hidden bool
}

// A link is a symbolic link to a session file.
type link struct {
	target string
	agent  dialect.Name
}

// An item is one session file that was found.
type item struct {
	key    int64 // what it is ordered by, the greatest first
	folder int32
	// at says what is known: the record of the folder, or the complement of the
	// number on the roll of a file that must be read.
	at int32
}

// record returns the bundle of a record and its number there.
func (d *folder) record(at int32) (Bundle, int) { return d.parts[at/maxRecords], int(at % maxRecords) }

// name returns the name of an item's file.
func (d *folder) name(at int32) []byte {
	if at < 0 {
		return d.roll.Name(int(^at))
	}
	b, n := d.record(at)
	return b.name(n)
}

// stamp returns the state that an item's file was found in.
func (d *folder) stamp(at int32) source.Stamp {
	if at < 0 {
		return source.StampOf(d.roll.At(int(^at)))
	}
	b, n := d.record(at)
	return b.brief(n).stamp
}

// file returns the file of an item.
func (d *folder) file(at int32) file {
	f := file{agent: d.agent, stamp: d.stamp(at)}
	if at < 0 {
		f.path, f.mode = d.dir+"/"+string(d.name(at)), d.roll.At(int(^at)).Mode
	} else {
		b, n := d.record(at)
		f.path = alias(b.path(n))
	}
	if l, ok := d.links[base(f.path)]; ok {
		f.target, f.agent = l.target, l.agent
	}
	return f
}

// info returns what the record of an item says.
func (d *folder) info(at int32) (Info, bool) {
	b, n := d.record(at)
	return b.info(n)
}

// each calls yield with every file that was found, those that nobody asked for
// too.
func (l *look) each(yield func(folder, at int32)) {
	for n := range l.folders {
		d := &l.folders[n]
		if d.roll != nil {
			for i := range d.roll.Len() {
				yield(int32(n), int32(^i))
			}
		}
		gone := d.gone
		for k, b := range d.parts {
			for i := range b.len() {
				at := int32(k*maxRecords + i)
				if len(gone) > 0 && gone[0] == at {
					gone = gone[1:]
					continue
				}
				yield(int32(n), at)
			}
		}
	}
}

// comparePaths orders files by their paths.
func comparePaths(dir string, name []byte, otherDir string, otherName []byte) int {
	if dir != otherDir {
		if strings.HasPrefix(dir, otherDir) || strings.HasPrefix(otherDir, dir) {
			return strings.Compare(dir+"/"+string(name), otherDir+"/"+string(otherName))
		}
		return strings.Compare(dir, otherDir)
	}
	return bytes.Compare(name, otherName)
}

// A place is a directory to be looked into.
type place struct {
	dir   string
	agent dialect.Name
	stray bool // only what has the name of a session file
	named bool // somebody named it: that it cannot be read is an error
	// quiet says that nobody is told when it cannot be read.
	quiet bool
}

// survey looks into a directory. What it finds is on the roll, links followed.
func (o *Options) survey(ctx context.Context, from source.Source, p *place, found *vfs.Roll) (folder, error) {
	d := folder{dir: strings.TrimSuffix(p.dir, "/"), agent: p.agent}
	found.Reset()
	if err := from.Survey(ctx, p.dir, ident.Ext, found); err != nil {
		found.Reset()
		return d, err
	}
	d.hidden = found.Hidden()
	odd := false
	for n := range found.Len() {
		odd = odd || p.stray || !found.At(n).Mode.IsRegular()
	}
	if odd {
		o.weed(ctx, from, p, &d, found)
	}
	return d, nil
}

// weed takes directories, what is no session file and what leads nowhere off a
// roll, and follows links.
func (o *Options) weed(ctx context.Context, from source.Source, p *place, d *folder, found *vfs.Roll) {
	all := found.Clone()
	found.Reset()
	for n := range all.Len() {
		at, name := *all.At(n), all.Name(n)
		if p.stray {
			if _, _, ok := ident.ParseFileName(string(name)); !ok {
				continue
			}
		}
		switch {
		case at.Mode.IsDir():
			continue
		case at.Mode&fs.ModeSymlink != 0:
			f := file{path: d.dir + "/" + string(name), mode: at.Mode, stamp: source.StampOf(&at)}
			if !f.follow(ctx, from) {
				continue
			}
			at = vfs.Found{Dev: f.stamp.Dev, Ino: f.stamp.Ino, Size: f.stamp.Size, ModTime: f.stamp.ModTime, Mode: f.mode}
			l := link{f.target, d.agent}
			if p.named && len(o.Agents) != 1 {
				if owner := dialect.Name(places.Owner(f.path, o.Env)); owner != "" {
					l.agent = owner
				}
			}
			if d.links == nil {
				d.links = map[string]link{}
			}
			d.links[string(name)] = l
		}
		found.Add(name, at)
	}
}
