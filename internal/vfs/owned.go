package vfs

// Owned returns a file system that looks at nothing which is reached through a link that somebody
// else made, be it the last element or any before it: that is a [*LinkError]. What it changes it
// changes as fsys does.
func Owned(fsys FS) FS {
	if fsys == nil {
		fsys = OS()
	}
	if _, is := fsys.(owned); is {
		return fsys
	}
	return owned{fsys}
}

type owned struct{ FS }

func (o owned) Open(name string, flag int) (File, error) {
	if err := ownDir(o.FS, name); err != nil {
		return nil, err
	}
	return o.FS.Open(name, flag)
}

func (o owned) Stat(name string) (Info, error) {
	if err := ownDir(o.FS, name); err != nil {
		return Info{}, err
	}
	return o.FS.Stat(name)
}

func (o owned) Names(dir string) ([]string, error) {
	if err := ownDir(o.FS, dir); err != nil {
		return nil, err
	}
	return o.FS.Names(dir)
}

func (o owned) ReadDir(dir string) ([]Info, error) {
	if err := ownDir(o.FS, dir); err != nil {
		return nil, err
	}
	return o.FS.ReadDir(dir)
}

// Survey does as that of the file system beneath.
func (o owned) Survey(dir, suffix string, to *Roll) error { return Survey(o.FS, dir, suffix, to) }
