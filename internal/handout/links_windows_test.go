package handout_test

// links are none: not everybody may make one.
func links() []standing { return nil }
