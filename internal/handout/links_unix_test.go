//go:build unix

package handout_test

import "os"

// links are links at the path of an output; on Windows not everybody may make one.
func links() []standing {
	return []standing{{"a link, by force", func(path string) error { return os.Symlink("elsewhere", path) }, false, true, false}}
}
