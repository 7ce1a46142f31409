package treeview

import "charm.land/bubbles/v2/key"

// Page returns the keys that the help names.
func Page(k *KeyMap) (all []key.Binding) {
	for _, group := range k.page() {
		all = append(all, group...)
	}
	return all
}
