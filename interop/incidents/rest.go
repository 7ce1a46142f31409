//go:build linux

package main

import (
	"os"
	"path/filepath"
)

// rest are recipes about what lies beside the sessions.
func rest() []Recipe {
	return []Recipe{
		{ID: "M67", What: "history.db locked / garbage", Run: func(c *Case) {
			c.start()
			for _, agent := range []string{".cambium", ".pi", ".omp", ".xcsh"} {
				for _, db := range []string{"history.db", "agent.db"} {
					path := filepath.Join(c.a.home(), agent, "agent", db)
					c.must(os.MkdirAll(filepath.Dir(path), 0o700))
					c.must(os.WriteFile(path, []byte("this is no database at all"), 0o600))
				}
			}
			path := c.opened20()
			c.append(2, "new")
			c.flush()
			c.wantSaved(path)
			c.wantListed(path, false)
			c.note("sessions do not read it")
		}},
	}
}
