package message

// Usage is what a model's answer took, in tokens, and cost. xcsh cannot open a
// session with an assistant message that lacks it or its cost: always write it
// whole.
type Usage struct {
	Input, Output         float64
	CacheRead, CacheWrite float64
	// CacheWrite1h is the part of CacheWrite that is kept for an hour (pi).
	CacheWrite1h float64
	// Reasoning is the part of Output that was reasoning (pi).
	Reasoning   float64
	TotalTokens float64
	// Cost is nil only where a file lacks it.
	Cost *Cost
	// PremiumRequests counts a provider's dearer requests (xcsh, omp).
	PremiumRequests float64
	// Orchestration and Credits are a provider's own accounts (omp).
	Orchestration, Credits JSON
	decoded
}

// Cost is what a model's answer cost, in US dollars.
type Cost struct {
	Input, Output         float64
	CacheRead, CacheWrite float64
	Total                 float64
	decoded
}

// ProviderPayload is what a provider wants back verbatim (xcsh, omp).
type ProviderPayload struct {
	// Type is "openaiResponsesHistory", in omp also "anthropicMessage" and
	// "anthropicCompaction".
	Type string
	// Provider is the provider that it belongs to.
	Provider string
	// DT is set when the items add to earlier ones.
	DT bool
	// Items are the provider's own history items.
	Items []JSON
	decoded
}

func (*Usage) empty() former           { return &Usage{} }
func (*Cost) empty() former            { return &Cost{} }
func (*ProviderPayload) empty() former { return &ProviderPayload{} }

func (u *Usage) form(f *form) {
	f.number("input", &u.Input)
	f.number("output", &u.Output)
	f.number("cacheRead", &u.CacheRead)
	f.number("cacheWrite", &u.CacheWrite)
	f.numberIf("cacheWrite1h", &u.CacheWrite1h)
	f.numberIf("reasoning", &u.Reasoning)
	f.number("totalTokens", &u.TotalTokens)
	if !f.filling && u.Cost == nil && u.raw == nil {
		f.put("cost", encode(&Cost{}))
	}
	nested(f, "cost", &u.Cost)
	f.numberIf("premiumRequests", &u.PremiumRequests)
	f.value("orchestration", &u.Orchestration)
	f.value("credits", &u.Credits)
}

func (c *Cost) form(f *form) {
	f.number("input", &c.Input)
	f.number("output", &c.Output)
	f.number("cacheRead", &c.CacheRead)
	f.number("cacheWrite", &c.CacheWrite)
	f.number("total", &c.Total)
}

func (p *ProviderPayload) form(f *form) {
	f.text("type", &p.Type)
	f.textIf("provider", &p.Provider)
	f.flagIf("dt", &p.DT)
	f.values("items", &p.Items)
}
