package foreigntest

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Sound reports what is wrong with the lines of a session: each is an entry with an id of its
// own that follows one that is there before it, or a line that was no record.
func Sound(all, from []byte) error {
	ids := map[string]bool{"": true}
	for n, line := range bytes.Split(bytes.TrimSuffix(all, []byte{'\n'}), []byte{'\n'}) {
		var is struct {
			Type, ID string
			ParentID *string `json:"parentId"`
		}
		if err := json.Unmarshal(line, &is); err != nil {
			if bytes.Contains(from, line) {
				continue
			}
			return fmt.Errorf("line %d: %w: %.200q", n+1, err, line)
		}
		if n == 0 {
			if is.Type != "session" {
				return fmt.Errorf("line 1 is no header: %.200q", line)
			}
			continue
		}
		if ids[is.ID] {
			return fmt.Errorf("line %d: the id %q is taken, or none", n+1, is.ID)
		}
		if is.ParentID != nil && !ids[*is.ParentID] {
			return fmt.Errorf("line %d: nothing before it is called %q", n+1, *is.ParentID)
		}
		ids[is.ID] = true
	}
	return nil
}
