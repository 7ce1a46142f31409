package entry

import "slices"

// JSON is one JSON value as text. Nobody checks it when it is made; a nil JSON is no value.
type JSON []byte

// String returns the text, "null" for no value.
func (j JSON) String() string {
	if j == nil {
		return "null"
	}
	return string(j)
}

// MarshalJSON returns the text, null for no value.
func (j JSON) MarshalJSON() ([]byte, error) {
	if j == nil {
		return []byte("null"), nil
	}
	return j, nil
}

// UnmarshalJSON keeps a copy of text.
func (j *JSON) UnmarshalJSON(text []byte) error {
	*j = slices.Clone(text)
	return nil
}
