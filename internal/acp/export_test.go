package acp

// Encoded is encoded.
var Encoded = encoded

// Before is before.
func Before(dir, path string) (string, bool) { return before(dir, path) }
