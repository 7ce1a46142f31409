package conversion_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/convert"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/conversion"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
)

// picture returns base64 of 1,500 bytes, as it is written and without padding.
func picture(fill byte) (data []byte, text string) {
	data = bytes.Repeat([]byte{fill, 1, 2}, 500)
	return data, base64.StdEncoding.EncodeToString(data)
}

func counted(r *convert.Report, reason convert.Reason) int { return r.Counts[reason] }

func TestImages(t *testing.T) {
	data, text := picture(7)
	ref := blob.RefOf(data).String()
	inline := `message "message":{"role":"user","content":[{"type":"image","data":"` + text + `","mimeType":"image/png"}],"timestamp":1}`

	t.Run("out of the line and back", func(t *testing.T) {
		f := entries("pi", inline)
		abroad, report := f.to(t, dialect.Omp, spelling.Fresh{})
		if line := abroad.lines(t)[0]; bytes.Contains(line, []byte(text[:40])) || !bytes.Contains(line, []byte(ref)) {
			t.Errorf("the image is not a blob: %.300s", line)
		}
		if !bytes.Equal(abroad.blobs[ref], data) || counted(report, conversion.Image) != 1 {
			t.Errorf("blobs = %d, report = %v", len(abroad.blobs), report.Counts)
		}
		journey(t, f)
	})
	t.Run("into the line and back", func(t *testing.T) {
		f := entries("xcsh", strings.Replace(inline, text, ref, 1))
		f.blobs = map[string][]byte{ref: data}
		abroad, report := f.to(t, dialect.Pi, spelling.Fresh{})
		if line := abroad.lines(t)[0]; !bytes.Contains(line, []byte(text)) {
			t.Errorf("the image is not in the line: %.300s", line)
		}
		if counted(report, conversion.Image) != 1 {
			t.Errorf("report = %v", report.Counts)
		}
		back, _ := abroad.to(t, dialect.Xcsh, spelling.Fresh{})
		if !bytes.Equal(back.blobs[ref], data) {
			t.Error("the blob is not in the store it came back to")
		}
		journey(t, f)
	})
	t.Run("from store to store", func(t *testing.T) {
		f := entries("xcsh", strings.Replace(inline, text, ref, 1))
		f.blobs = map[string][]byte{ref: data}
		abroad, report := f.to(t, dialect.Cambium, spelling.Fresh{})
		if string(abroad.lines(t)[0]) != string(f.lines(t)[0]) || !bytes.Equal(abroad.blobs[ref], data) || len(report.Items) != 0 {
			t.Errorf("line %.200s, report %v", abroad.lines(t)[0], report.Items)
		}
	})
	t.Run("missing", func(t *testing.T) {
		f := entries("omp", strings.Replace(inline, text, ref, 1))
		for _, to := range []dialect.Name{dialect.Pi, dialect.Xcsh} {
			abroad, report := f.to(t, to, spelling.Fresh{})
			if counted(report, conversion.MissingBlob) != 1 || string(abroad.lines(t)[0]) != string(f.lines(t)[0]) {
				t.Errorf("to %s: report = %v", to, report.Counts)
			}
		}
	})
	t.Run("base64 that does not come back as it is", func(t *testing.T) {
		f := entries("pi", strings.Replace(inline, text, text[:100]+`\n`+text[100:], 1))
		journey(t, f)
	})
	t.Run("where the target does not look", func(t *testing.T) {
		f := entries("omp", `message "message":{"role":"bashExecution","command":"c","output":"","images":[{"type":"image","data":"`+ref+`","mimeType":"image/png"}],"timestamp":1}`)
		f.blobs = map[string][]byte{ref: data}
		abroad, _ := f.to(t, dialect.Xcsh, spelling.Fresh{})
		if line := abroad.lines(t)[0]; !bytes.Contains(line, []byte(text)) {
			t.Errorf("xcsh resolves images of content only, yet this one is a reference: %.300s", line)
		}
		journey(t, f)
	})
}

// TestCut takes text that was cut for its length to pi, which cuts nothing, and
// back.
func TestCut(t *testing.T) {
	long := strings.Repeat("a long line of output\n", 30_000)
	f := entries("xcsh", `message "message":{"role":"toolResult","toolCallId":"c","toolName":"t","content":[{"type":"text","text":`+
		string(jsonedit.Quoted(long))+`}],"isError":false,"timestamp":1}`)
	f.blobs = map[string][]byte{}
	lines := bytes.Split(bytes.TrimSuffix(f.data, []byte("\n")), []byte("\n"))
	cut, _, err := spelling.Prepare(lines[1], f.rules.Persist, func(data []byte, _ string) (string, error) {
		ref := blob.RefOf(data).String()
		f.blobs[ref] = data
		return ref, nil
	})
	if err != nil || len(f.blobs) != 1 {
		t.Fatalf("prepare: %v, %d blobs", err, len(f.blobs))
	}
	f.data = bytes.Join([][]byte{lines[0], cut, nil}, []byte("\n"))
	abroad, report := f.to(t, dialect.Pi, spelling.Fresh{})
	line := abroad.lines(t)[0]
	content, _ := jsonedit.Path(line, "message", "content")
	for block := range jsonedit.Elements(content) {
		if text, _ := jsonedit.Text(block, "text"); text != long {
			t.Errorf("the text has %d bytes, want %d", len(text), len(long))
		}
	}
	if counted(report, conversion.Whole) != 1 || len(line) > len(long)+40_000 {
		t.Errorf("report = %v, the line has %d bytes", report.Counts, len(line))
	}
	back, _ := abroad.to(t, dialect.Xcsh, spelling.Fresh{})
	if canonical(back.lines(t)[0]) != canonical(cut) {
		t.Error("it does not come back as it was cut")
	}
}

// TestAdded goes on abroad with a session and brings it home.
func TestAdded(t *testing.T) {
	f := entries("pi", `model_change "provider":"p","modelId":"m"`, `message "message":{"role":"user","content":"hello","timestamp":1}`)
	abroad, _ := f.to(t, dialect.Xcsh, spelling.Fresh{})
	all := abroad.lines(t)
	last, _ := jsonedit.Text(all[len(all)-1], "id")
	more := `{"type":"model_change","id":"new1","parentId":"` + last + `","timestamp":"2026-01-02T03:05:00.000Z","model":"q/n"}` + "\n" +
		`{"type":"message","id":"new2","parentId":"new1","timestamp":"2026-01-02T03:05:01.000Z","message":{"role":"user","content":"more","timestamp":2}}` + "\n"
	abroad.data = append(abroad.data, more...)
	back, report := abroad.to(t, dialect.Pi, spelling.Fresh{})
	_, list, _ := back.parse(t)
	if report.Dropped != 0 || report.Added != 1 {
		t.Errorf("dropped %d, added %d; what hangs on an entry keeps it", report.Dropped, report.Added)
	}
	got := back.lines(t)
	for i, want := range f.lines(t) {
		if string(got[i]) != string(want) {
			t.Errorf("entry %d is\n%s\nwas\n%s", i, got[i], want)
		}
	}
	if want := `{"type":"model_change","provider":"q","modelId":"n"}`; members(got[3]) != canonical([]byte(want)) {
		t.Errorf("added entry = %s", got[3])
	}
	if list.Kind(list.Len()-1) != entry.Custom || list.Ref(list.Len()-1) != conversion.Trailer {
		t.Error("what was written abroad is not remembered")
	}
	again, _ := back.to(t, dialect.Xcsh, spelling.Fresh{})
	if lines := again.lines(t); string(lines[3]) != string(abroad.lines(t)[3]) {
		t.Errorf("the entry written abroad comes back as\n%s", lines[3])
	}
}

// TestLeftLeaf: pi names the leaf that was left, the entry before.
func TestLeftLeaf(t *testing.T) {
	f := entries("cambium", `message "message":{"role":"user","content":"a","timestamp":1}`, `message "message":{"role":"user","content":"b","timestamp":2}`)
	f.data = append(f.data, `{"type":"branch_summary","id":"b1","parentId":"e0","timestamp":"2026-01-02T03:05:00.000Z","fromId":"e0","summary":"S"}`+"\n"...)
	f.data = append(f.data, `{"type":"branch_summary","id":"b2","parentId":null,"timestamp":"2026-01-02T03:05:00.000Z","fromId":"root","summary":"T"}`+"\n"...)
	abroad, report := f.to(t, dialect.Pi, spelling.Fresh{})
	for i, want := range map[int]string{2: "e1", 3: "b1"} {
		if got, _ := jsonedit.Text(abroad.lines(t)[i], "fromId"); got != want {
			t.Errorf("entry %d: fromId = %q, want %q", i, got, want)
		}
	}
	if counted(report, conversion.From) != 2 {
		t.Errorf("report = %v", report.Counts)
	}
	journey(t, f)
}
