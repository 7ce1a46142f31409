package opencode

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/internal/foreign/database"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// The older form: storage/session/PROJECT/SESSION.json, storage/message/SESSION/MESSAGE.json,
// storage/part/MESSAGE/PART.json.

// maxFile is how long one of its files may be, in bytes.
const maxFile = 64 << 20

// maxSession is how much of a session is read, in bytes.
const maxSession = 1 << 30

// surveyOld adds the sessions of a project in the older form, without those that the database
// has.
func (p *program) surveyOld(ctx context.Context, fsys vfs.FS, dir string, to *vfs.Roll) error {
	names, err := fsys.Names(dir)
	if err != nil {
		return err
	}
	moved := map[string]bool{}
	path := filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(dir))), dbName)
	// A database that cannot be read is told of where it is surveyed itself.
	_ = p.lib.Read(ctx, fsys, path, func(d *database.DB) error {
		return db{d}.states("", func(s database.State) { moved[s.ID] = true })
	})
	for _, file := range names {
		id, ok := strings.CutSuffix(file, ".json")
		if !ok || !database.Valid(id) || moved[id] {
			continue
		}
		f, err := statOld(fsys, dir, id)
		if err != nil {
			continue // it went meanwhile, or is no file
		}
		to.Add([]byte(id+ext), f)
	}
	return nil
}

// beside returns a directory of the older form.
func beside(dir string, names ...string) string {
	return filepath.Join(append([]string{filepath.Dir(filepath.Dir(dir))}, names...)...)
}

// statOld returns the state of a session in the older form.
func statOld(fsys vfs.FS, dir, id string) (vfs.Found, error) {
	path := filepath.Join(dir, id+".json")
	info, err := fsys.Lstat(path)
	if err != nil {
		return vfs.Found{}, err
	}
	if !info.Regular() {
		return vfs.Found{}, &fs.PathError{Op: "stat", Path: path, Err: vfs.ErrNotRegular}
	}
	f := vfs.Found{Dev: info.Dev, Ino: info.Ino, Size: info.Size, ModTime: info.ModTime}
	list, err := fsys.ReadDir(beside(dir, "message", id))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	for _, is := range list {
		f.Size += is.Size
		f.ModTime = max(f.ModTime, is.ModTime)
		if own, err := fsys.Lstat(beside(dir, "part", strings.TrimSuffix(is.Name, ".json"))); err == nil {
			f.ModTime = max(f.ModTime, own.ModTime) // a part came
		}
	}
	return f, nil
}

// readOld reads all of a session in the older form.
func readOld(ctx context.Context, fsys vfs.FS, dir, id string) (*stored, error) {
	size := 0
	read := func(path string) ([]byte, error) {
		data, err := readFile(fsys, path)
		if size += len(data) + 100; err == nil && size > maxSession {
			err = database.ErrLarge
		}
		if err == nil {
			err = ctx.Err()
		}
		return data, err
	}
	path := filepath.Join(dir, id+".json")
	info, err := read(path)
	if err != nil {
		return nil, err
	}
	s := &stored{id: id, fields: oldFields(info)}
	if _, ok := database.Whole(info); !ok {
		s.wrong = append(s.wrong, string(info))
	}
	each := func(dir, message string, to *[]row) error {
		names, err := fsys.Names(dir)
		if err != nil {
			return nil // it has none
		}
		for _, file := range names {
			id, ok := strings.CutSuffix(file, ".json")
			if !ok {
				continue
			}
			data, err := read(filepath.Join(dir, file))
			switch {
			case errors.Is(err, database.ErrLarge), err != nil && ctx.Err() != nil:
				return &database.Error{Path: path, Err: err}
			case err != nil:
				s.wrong = append(s.wrong, err.Error())
				continue
			}
			r := row{id: id, message: message, data: withoutIDs(data)}
			if at := number(r.data, "time", "created"); at > 0 && at <= database.MaxTime {
				r.created = int64(at)
			}
			*to = append(*to, r)
		}
		return nil
	}
	if err := each(beside(dir, "message", id), "", &s.messages); err != nil {
		return nil, err
	}
	for _, m := range s.messages {
		if err := each(beside(dir, "part", m.id), m.id, &s.parts); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// withoutIDs returns a message or a part as the database has it.
func withoutIDs(data []byte) []byte {
	v, ok := database.Whole(data)
	if !ok || jsonedit.Kind(v) != '{' {
		return data
	}
	return jsonedit.Delete(v, "id", "sessionID", "messageID")
}

// oldFields returns the members of a session as columns.
func oldFields(info []byte) map[string]database.Field {
	fields := map[string]database.Field{}
	v, ok := database.Whole(info)
	if !ok {
		return fields
	}
	column := map[string]string{"projectID": "project_id", "parentID": "parent_id"}
	set := func(name string, value []byte) { fields[name] = database.Of(name, value) }
	for key, value := range jsonedit.Members(v) {
		if name, ok := column[key]; ok {
			key = name
		}
		if key != "time" {
			set(key, value)
			continue
		}
		for key, value := range jsonedit.Members(value) {
			set("time_"+key, value)
		}
	}
	return fields
}

// readFile reads a small file.
func readFile(fsys vfs.FS, path string) (data []byte, err error) {
	f, err := fsys.Open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size > maxFile {
		return nil, &database.Error{Path: path, Err: database.ErrLarge}
	}
	data = make([]byte, info.Size)
	n, err := f.ReadAt(data, 0)
	if errors.Is(err, io.EOF) {
		err = nil // it became shorter
	}
	return data[:n], err
}
