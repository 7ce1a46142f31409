package state

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/internal/vfs"
)

// Presence files lie in 64 directories, so that who asks for one session reads few names
// however many there are:
//
//	presence/NN/KEY.TAG          a session that is entered; KEY is of its path
//	presence/NN/KEY.i.KEY.TAG    the same file by the inode of the session, which may be moved
//	presence/NN/KEY.left         how a session was left
//
// Those of processes that are gone are removed by whoever meets them: a few of them with
// each question about one session, more of them with each list.

const (
	// sweptOne is how many files of other sessions a question about one looks at.
	sweptOne = 8
	// sweptAll is how many files a list looks at.
	sweptAll = 1 << 12
	// byInode stands between the key of an inode and the name of the file.
	byInode = ".i."
)

// key begins the names of all presence files of one path, or inode.
func key(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

func inodeKey(info vfs.Info) string {
	if info.Ino == 0 {
		return ""
	}
	return key(fmt.Sprintf("%d:%d", info.Dev, info.Ino))
}

// shard is the directory of the files of a key.
func (p *Presence) shard(key string) string {
	n, _ := strconv.ParseUint(key[:2], 16, 8) // it is hexadecimal
	return filepath.Join(p.dir(), fmt.Sprintf("%02d", n%64))
}

// linkInode gives a presence file a second name, by which it is found when the session
// is moved. Where there are no such links, it is found by its path alone.
func (p *Presence) linkInode(f vfs.File, is presence) (name string) {
	k := inodeKey(vfs.Info{Dev: is.Dev, Ino: is.Ino})
	if k == "" {
		return ""
	}
	dir := p.shard(k)
	name = filepath.Join(dir, k+byInode+filepath.Base(f.Name()))
	if _, err := vfs.MkdirAll(p.fs, dir); err != nil || p.fs.Link(f.Name(), name) != nil {
		return ""
	}
	return name
}

// about returns what presence files say of the session at a path, by id.
func (p *Presence) about(path string, info vfs.Info) map[string]presence {
	all := map[string]presence{}
	p.read(all, key(path), ".")
	if k := inodeKey(info); k != "" {
		p.read(all, k, byInode)
	}
	return all
}

// read looks at the presence files of a key, and sweeps a few others beside them.
func (p *Presence) read(all map[string]presence, key, sep string) {
	dir := p.shard(key)
	names, err := p.fs.Names(dir)
	if err != nil {
		return
	}
	ours := p.ours(dir)
	swept, from := 0, 0
	if len(names) > 0 {
		from = int(uint64(p.opt.Now().UnixNano()) % uint64(len(names)))
	}
	for i := range names {
		name := names[(from+i)%len(names)]
		mine := strings.HasPrefix(name, key+sep)
		if !mine {
			if swept++; swept > sweptOne {
				continue
			}
		}
		if is, ok := p.look(filepath.Join(dir, name), ours); ok && mine {
			all[idOf(name)] = is
		}
	}
}

// idOf returns the id to which a presence file belongs, whichever of its names it is.
func idOf(name string) string {
	if _, id, ok := strings.Cut(name, byInode); ok {
		return id
	}
	return name
}

// entered returns what presence files say of all sessions, by id.
func (p *Presence) entered() map[string]presence {
	all := map[string]presence{}
	shards, err := p.fs.Names(p.dir())
	if err != nil {
		return all
	}
	looked, ours := 0, p.ours(p.dir())
	for _, shard := range shards {
		dir := filepath.Join(p.dir(), shard)
		names, err := p.fs.Names(dir)
		if err != nil { // a file, as they lay here before
			p.look(dir, ours)
			looked++
			continue
		}
		ours := ours && p.ours(dir)
		for _, name := range names {
			if looked++; looked > sweptAll {
				return all
			}
			if strings.Contains(name, byInode) && all[idOf(name)].Version != 0 {
				continue // it has the same to say
			}
			if is, ok := p.look(filepath.Join(dir, name), ours); ok {
				all[idOf(name)] = is
			}
		}
	}
	return all
}

// ours reports whether what Cambium put into a directory of presence files is in it:
// it is one, and no link.
func (p *Presence) ours(dir string) bool {
	if dir != p.dir() {
		if info, err := p.fs.Lstat(p.dir()); err != nil || !info.Mode.IsDir() {
			return false
		}
	}
	info, err := p.fs.Lstat(dir)
	return err == nil && info.Mode.IsDir()
}
