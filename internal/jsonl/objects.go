package jsonl

import "bytes"

// Objects returns where the objects of an array are, those that lie in it directly. The
// text may be a part of an array: it begins with a bracket, a comma or an object. The
// array goes on at the next marker behind what is not well formed, where an object of an
// object may be found, too; without a marker it ends there. The time taken grows with the
// length of the text only.
func Objects(arr []byte, marker string) []Span {
	var found []Span
	i := blank(arr, 0)
	if i < len(arr) && (arr[i] == '[' || arr[i] == ',') {
		i = blank(arr, i+1)
	}
	for {
		for i < len(arr) && arr[i] == '{' {
			end := containerEnd(arr, i, maxDepth)
			if end < 0 {
				i = max(i+1, ^end-len(`{"`))
				break
			}
			found = append(found, Span{i, end})
			if i = blank(arr, end); i < len(arr) && arr[i] == ',' {
				i = blank(arr, i+1)
				continue
			}
			break
		}
		k := -1
		if i < len(arr) && marker != "" {
			k = bytes.Index(arr[i:], []byte(marker))
		}
		if k < 0 {
			return found
		}
		i += k
	}
}
