package conversion

import (
	"fmt"
	"slices"

	"github.com/cambium-dev/cambium/convert"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
)

// A run is a stretch of entries that one program wrote.
type run struct {
	agent dialect.Name
	last  entry.ID // of the last of them that has one
	to    int      // the position after them
}

// A prior is what an earlier conversion left in the session.
type prior struct {
	// agent is the program whose header it was, with its slot.
	agent  dialect.Name
	header entry.JSON
	slot   entry.JSON
	runs   []run
	end    int // entries from here on were added and nothing hangs on them
}

// readPrior looks for the last trailer of a conversion to the source's dialect;
// nil when there is none.
func readPrior(src Source) (*prior, error) {
	n := src.List.Len()
	for i := n - 1; i >= 0; i-- {
		if src.List.Kind(i) != entry.Custom || src.List.Ref(i) != Trailer {
			continue
		}
		line, err := src.Line(i)
		if err != nil {
			return nil, fmt.Errorf("convert entry %d: %w", i, err)
		}
		data, _ := jsonedit.Get(line, "data")
		if to, _ := jsonedit.Text(data, "to"); to != string(src.Dialect.Name) {
			continue
		}
		p := parsePrior(data, src.List)
		if p == nil {
			continue
		}
		p.end = n
		if i < n-1 {
			return p, nil
		}
		p.end = i
		if i > 0 && src.List.Parent(i) == i-1 {
			before, err := src.Line(i - 1)
			if err != nil {
				return nil, fmt.Errorf("convert entry %d: %w", i-1, err)
			}
			mark, _ := jsonedit.Path(before, "cambium", "added")
			if added, _ := jsonedit.Bool(mark); added {
				p.end = i - 1
			}
		}
		return p, nil
	}
	return nil, nil
}

func parsePrior(data entry.JSON, list *entry.List) *prior {
	name, _ := jsonedit.Text(data, "agent")
	if _, ok := spelling.Agent(name); !ok {
		return nil
	}
	p := &prior{agent: dialect.Name(name)}
	p.header, _ = jsonedit.Get(data, "header")
	if _, ok := entry.ParseHeader(p.header); !ok {
		return nil
	}
	p.slot, _ = jsonedit.Get(data, "slot")
	runs, _ := jsonedit.Get(data, "runs")
	for v := range jsonedit.Elements(runs) {
		agent, _ := jsonedit.Text(v, "agent")
		last, _ := jsonedit.Text(v, "last")
		if _, ok := spelling.Agent(agent); ok {
			p.runs = append(p.runs, run{dialect.Name(agent), last, list.Find(last) + 1})
		}
	}
	return p
}

// native returns the dialect of the program that wrote entry i, which has no
// record of its own.
func (c *Conversion) native(i int) dialect.Name {
	if c.prior != nil {
		for _, r := range c.prior.runs {
			if i < r.to {
				return r.agent
			}
		}
	}
	return c.src.Dialect.Name
}

// run notes whose entry i is.
func (c *Conversion) run(agent dialect.Name, i int) {
	id, _ := c.src.List.ID(i)
	if n := len(c.runs); n > 0 && c.runs[n-1].agent == agent {
		if id != "" {
			c.runs[n-1].last = id
		}
		return
	}
	c.runs = append(c.runs, run{agent: agent, last: id})
}

// trailer returns the data of the entry that holds what belongs to no other.
func (c *Conversion) trailer() entry.JSON {
	var data, report, counts jsonedit.Object
	data.String("from", string(c.src.Dialect.Name)).String("to", string(c.to.Dialect.Name))
	if p := c.prior; p != nil && p.agent != c.to.Dialect.Name {
		data.String("agent", string(p.agent)).Add("header", p.header).Add("slot", p.slot)
	} else {
		data.String("agent", string(c.src.Dialect.Name)).Add("header", c.sourceHeader())
		if s := c.src.Header.Slot; s != nil {
			var slot jsonedit.Object
			data.Add("slot", slot.String("title", s.Title).String("source", s.Source).String("updatedAt", s.UpdatedAt).Value())
		}
	}
	var runs jsonedit.Array
	for _, r := range c.runs {
		var o jsonedit.Object
		runs.Add(o.String("agent", string(r.agent)).String("last", r.last).Value())
	}
	data.Add("runs", runs.Value())
	for _, reason := range reasons(&c.report) {
		counts.Int(string(reason), int64(c.report.Counts[reason]))
	}
	report.Int("entries", int64(c.report.Entries)).Int("changed", int64(c.report.Changed)).Add("counts", counts.Value())
	return data.Add("report", report.Value()).Value()
}

// reasons returns the reasons that occur, in order.
func reasons(r *convert.Report) []convert.Reason {
	var all []convert.Reason
	for reason := range r.Counts {
		all = append(all, reason)
	}
	slices.Sort(all)
	return all
}
