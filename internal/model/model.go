package model

// An API is the protocol over which a model is asked, as assistant messages name
// it (pi 0.87.1, omp 18.2.3).
type API string

// The protocols that the built-in agent speaks.
const (
	Anthropic       API = "anthropic-messages"
	OpenAIChat      API = "openai-completions"
	OpenAIResponses API = "openai-responses"
)

// A Model is one model of a provider. It is a value; its slices are not changed.
type Model struct {
	// Provider and ID name it, as model_change entries do.
	Provider, ID string
	// Name is what people call it; "" is ID.
	Name string
	API  API
	// BaseURL is where it is asked; "" is the provider's own address.
	BaseURL string
	// KeyEnv is the variable that holds the key; "" is a provider that needs
	// none, such as a server on the same machine.
	KeyEnv string
	// Headers are sent with each request, beside the protocol's own.
	Headers map[string]string
	// Window is how many tokens it takes in all, MaxOutput how many it answers
	// at most; 0 is not known.
	Window, MaxOutput int
	// Levels are the thinking levels that it has, "off" among them if it can do
	// without; none for a model that does not think.
	Levels []string
	// Effort says that thinking is asked for by a word; otherwise it is by a
	// budget of tokens.
	Effort bool
	// Images says that it takes pictures.
	Images bool
	Price  Price
	// Long is what a request with a longer prompt costs, all of it.
	Long LongPrice
}

// A Price is what a million tokens cost, in US dollars. The zero Price costs
// nothing.
type Price struct {
	Input, Output, CacheRead, CacheWrite float64
}

// A LongPrice is the price of requests whose prompt, with what of it was read
// from and written to the cache, is longer than Above tokens. The zero LongPrice
// is that of a provider that does not ask how long a prompt is.
type LongPrice struct {
	Above int
	Price
}
