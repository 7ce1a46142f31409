package message

import "github.com/cambium-dev/cambium/entry"

// JSON is one JSON value as text.
type JSON = entry.JSON

// Member is one member of an object, its name decoded.
type Member = entry.Member
