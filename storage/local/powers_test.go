package local

import "github.com/cambium-dev/cambium/internal/powers"

// What the logs and the store can do beside what all can.
var (
	_ powers.Hasty        = (*log)(nil)
	_ powers.Sectioner    = (*log)(nil)
	_ powers.Slotter      = (*log)(nil)
	_ powers.Mover        = (*log)(nil)
	_ powers.Salvager     = (*log)(nil)
	_ powers.Awaiter      = (*log)(nil)
	_ powers.PrefixReader = (*diskStore)(nil)
)
