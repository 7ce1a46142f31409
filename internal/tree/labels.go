package tree

import (
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// A Label is a name in effect.
type Label struct {
	// TargetID is the id of the entry that bears it, which need not exist.
	TargetID string
	// Text is the name, not empty.
	Text string
	// At is the position of the label entry that gave it.
	At int
}

// labels is the map of labels in effect, in the order of a JavaScript Map:
// giving a name anew keeps the place, clearing and giving it moves to the end.
type labels struct {
	at   []int32 // label entries
	read int     // how many of them are in the map
	list []Label // Text "" where cleared
	byID map[string]int
}

// Label returns the name of the entries with that id: that of the last label
// entry for it in file order, on whatever branch, and false when there is none
// or it was cleared. The error is that of a label entry that cannot be loaded.
func (t *Tree) Label(id string) (string, bool, error) {
	if err := t.readLabels(); err != nil {
		return "", false, err
	}
	at, ok := t.labels.byID[id]
	if !ok {
		return "", false, nil
	}
	return t.labels.list[at].Text, true, nil
}

// Labels returns the names in effect in the order of the programs' label map:
// by first naming, except that what was cleared in between counts from its next
// naming. The error is that of a label entry that cannot be loaded.
func (t *Tree) Labels() ([]Label, error) {
	if err := t.readLabels(); err != nil {
		return nil, err
	}
	all := make([]Label, 0, len(t.labels.byID))
	for _, l := range t.labels.list {
		if l.Text != "" {
			all = append(all, l)
		}
	}
	return all, nil
}

// readLabels takes the label entries not read yet into the map.
func (t *Tree) readLabels() error {
	t.Grow()
	m := &t.labels
	for ; m.read < len(m.at); m.read++ {
		i := int(m.at[m.read])
		line, err := t.list.Load(i)
		if err != nil {
			return err
		}
		text, _ := jsonedit.Text(line, "label")
		m.put(t.list.Ref(i), text, i)
	}
	return nil
}

func (m *labels) put(id, text string, i int) {
	if m.byID == nil {
		m.byID = map[string]int{}
	}
	at, ok := m.byID[id]
	switch {
	case text == "" && ok:
		m.list[at].Text = ""
		delete(m.byID, id)
	case text == "":
	case ok:
		m.list[at].Text, m.list[at].At = text, i
	default:
		m.byID[id] = len(m.list)
		m.list = append(m.list, Label{TargetID: id, Text: text, At: i})
	}
}
