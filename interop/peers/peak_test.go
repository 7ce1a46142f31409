package peers_test

import (
	"os"
	"testing"

	"github.com/cambium-dev/cambium/interop/peers"
)

// A process knows of itself what others know of it, and no less than it holds.
func TestPeakKB(t *testing.T) {
	block := make([]byte, 64<<20)
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	own, err := peers.PeakKB(0)
	if err != nil || own < int64(len(block))>>10 {
		t.Errorf("PeakKB(0) = %d, %v", own, err)
	}
	if other, err := peers.PeakKB(os.Getpid()); err != nil || other < own {
		t.Errorf("PeakKB of this process = %d, %v; itself said %d", other, err, own)
	}
	if _, err := peers.PeakKB(1 << 30); err == nil {
		t.Error("PeakKB of no process is no error")
	}
	if block[4096] != 1 {
		t.Error("nothing was held")
	}
}
