package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/internal/builtin"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/replay"
	"github.com/spf13/cobra"
)

// jsonModel is a model as --list-models prints it; prices are of a million tokens.
type jsonModel struct {
	Provider  string   `json:"provider"`
	ID        string   `json:"modelId"`
	Name      string   `json:"name,omitzero"`
	API       string   `json:"api"`
	BaseURL   string   `json:"baseUrl,omitzero"`
	KeyEnv    string   `json:"keyEnv,omitzero"`
	Available bool     `json:"available"`
	Window    int      `json:"contextWindow,omitzero"`
	MaxOutput int      `json:"maxOutput,omitzero"`
	Levels    []string `json:"thinkingLevels,omitzero"`
	Images    bool     `json:"images"`
	Cost      struct {
		Input      float64 `json:"input"`
		Output     float64 `json:"output"`
		CacheRead  float64 `json:"cacheRead"`
		CacheWrite float64 `json:"cacheWrite"`
	} `json:"cost"`
}

// runListModels prints the models.
func runListModels(a *app) error {
	set, err := builtin.Settings(a.lib, a.note)
	if err != nil {
		return agentTrouble(err)
	}
	reg := builtin.Models(a.lib, set)
	var rows [][]string
	for _, m := range reg.All() {
		ok := reg.Available(replay.Model{Provider: m.Provider, ModelID: m.ID})
		if a.flags.json {
			j := jsonModel{
				Provider: m.Provider, ID: m.ID, Name: m.Name, API: string(m.API), BaseURL: m.BaseURL, KeyEnv: m.KeyEnv, Available: ok,
				Window: m.Window, MaxOutput: m.MaxOutput, Levels: m.Levels, Images: m.Images,
			}
			j.Cost.Input, j.Cost.Output, j.Cost.CacheRead, j.Cost.CacheWrite = m.Price.Input, m.Price.Output, m.Price.CacheRead, m.Price.CacheWrite
			if err := a.emit(j); err != nil {
				return err
			}
			continue
		}
		state := ""
		if !ok {
			state = "needs " + m.KeyEnv
		}
		rows = append(rows, []string{m.Provider + "/" + m.ID, windowText(m.Window), priceText(m.Price), strings.Join(m.Levels, " "), state})
	}
	return a.aligned(rows)
}

// windowText is a number of tokens in short.
func windowText(tokens int) string {
	switch {
	case tokens == 0:
		return "?"
	case tokens%1_000_000 == 0:
		return strconv.Itoa(tokens/1_000_000) + "M"
	}
	return strconv.Itoa(tokens/1000) + "k"
}

// priceText is what a million tokens cost in and out.
func priceText(p model.Price) string {
	if p == (model.Price{}) {
		return "-"
	}
	return fmt.Sprintf("$%g/%g", p.Input, p.Output)
}

// aligned prints rows under one another, all cells but the last of one width.
func (t *terminal) aligned(rows [][]string) error {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], term.Width(term.Line(cell)))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(term.Pad(term.Line(cell), widths[i]) + "  ")
		}
		if _, err := fmt.Fprintln(t.out, strings.TrimRight(line.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// completeModel offers the models.
func completeModel(a *app) []cobra.Completion {
	if prepare(a) != nil {
		return nil
	}
	set, err := builtin.Settings(a.lib, a.note)
	if err != nil {
		return nil
	}
	var all []cobra.Completion
	for _, m := range builtin.Models(a.lib, set).All() {
		all = append(all, cobra.CompletionWithDesc(m.Provider+"/"+m.ID, first(m.Name, m.ID)))
	}
	return all
}
