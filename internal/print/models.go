package print

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/replay"
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

// Models prints the models.
func Models(c *console.Console, reg *model.Registry) error {
	var rows [][]string
	for _, m := range reg.All() {
		ok := reg.Available(replay.Model{Provider: m.Provider, ModelID: m.ID})
		if c.JSON {
			j := jsonModel{
				Provider: m.Provider, ID: m.ID, Name: m.Name, API: string(m.API), BaseURL: m.BaseURL, KeyEnv: m.KeyEnv, Available: ok,
				Window: m.Window, MaxOutput: m.MaxOutput, Levels: m.Levels, Images: m.Images,
			}
			j.Cost.Input, j.Cost.Output, j.Cost.CacheRead, j.Cost.CacheWrite = m.Price.Input, m.Price.Output, m.Price.CacheRead, m.Price.CacheWrite
			if err := c.Emit(j); err != nil {
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
	return c.Aligned(rows)
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
