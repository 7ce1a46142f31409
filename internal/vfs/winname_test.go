package vfs

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

func TestKernelPath(t *testing.T) {
	long := `C:\` + strings.Repeat(`directory\`, 60) + "f"
	for path, want := range map[string]string{
		`C:\Users\ada\f`:           `\??\C:\Users\ada\f`,
		`c:\`:                      `\??\c:\`,
		`\\host\share\d\f`:         `\??\UNC\host\share\d\f`,
		`\\?\C:\d\f`:               `\??\C:\d\f`,
		`\\?\UNC\host\share\f`:     `\??\UNC\host\share\f`,
		long:                       `\??\` + long,
		`C:\d\CON`:                 `\??\C:\d\CON`, // a file of that name can be there
		`C:\d\f:stream`:            "",
		`C:\d\a*`:                  "",
		`C:\d\..\f`:                "",
		`C:\d\\f`:                  "",
		`C:d`:                      "",
		`\d`:                       "",
		`d`:                        "",
		``:                         "",
		`\\host`:                   "",
		`\\.\pipe\x`:               "",
		`\??\C:\x`:                 "",
		`\\?\GLOBALROOT\Device\x`:  "",
		`\\?\Volume{1234}\f`:       "",
		"C:\\d\\a\x01b":            "",
		`C:\d/f`:                   "",
		`\\?\UNC\host`:             "",
		`\\?\UNC\host\share\..\up`: "",
	} {
		got, err := kernelPath(path)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("kernelPath(%q) = %q, %v; want %q", path, got, err, want)
		}
		if err == nil && !strings.HasPrefix(path, `\\`) && unkernel(`\\?\`+path) != path {
			t.Errorf("unkernel of %q is %q", path, unkernel(`\\?\`+path))
		}
	}
	if _, err := kernelPath(`\\.\pipe\x`); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a pipe: %v", err)
	}
	if got := unkernel(`\\?\UNC\host\share\f`); got != `\\host\share\f` {
		t.Errorf("a share is %q", got)
	}
}

func TestCreatableNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"a": true, ".hidden": true, "2026-01-01T00-00-00_x.jsonl": true, "con1": true, "COM": true, "com10": true, "é": true, "console.txt": true,
		"CON": false, "con.jsonl": false, "Nul": false, "aux.tar.gz": false, "COM1": false, "lpt9.x": false, "com\u00b2": false, "CONOUT$": false, "con .x": false,
		"a.": false, "a ": false, "a:b": false, "a?": false, `a\b`: false, "a/b": false, "a\tb": false, "": false, ".": false, "..": false,
	} {
		err := creatable(name)
		var named *NameError
		if (err == nil) != ok || err != nil && (!errors.Is(err, fs.ErrInvalid) || !errors.As(err, &named) || named.Name != name) {
			t.Errorf("creatable(%q) = %v, want %v", name, err, ok)
		}
	}
	if readable("CON") != nil || readable("a.") != nil {
		t.Error("what is there cannot be opened")
	}
}

func TestModeOfRights(t *testing.T) {
	const change, everything = 0x1301bf, 0x1f01ff
	own := ace{mask: everything, trusted: true}
	for name, test := range map[string]struct {
		list []ace
		dir  bool
		want fs.FileMode
	}{
		"nobody":                      {nil, false, 0},
		"own":                         {[]ace{own}, true, 0},
		"read":                        {[]ace{own, {mask: 0x1200a9}}, false, 0o044},
		"change":                      {[]ace{own, {mask: change}}, false, 0o066},
		"of a directory":              {[]ace{own, {mask: change}}, true, 0o066},
		"only add":                    {[]ace{own, {mask: rightAppend}}, true, 0o022 | fs.ModeSticky},
		"add, and all in what is new": {[]ace{own, {mask: rightAppend}, {mask: everything, later: true}}, true, 0o022 | fs.ModeSticky},
		"add, and delete":             {[]ace{{mask: rightWrite}, {mask: rightDeleteChild}}, true, 0o022},
		"all":                         {[]ace{{mask: rightAll}}, true, 0o066},
		"generic write":               {[]ace{{mask: rightGenericW}}, false, 0o022},
		"the list":                    {[]ace{{mask: rightChangeList}}, false, 0o022},
	} {
		if got := aclMode(test.list, test.dir); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
