package jsonl_test

import (
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonl"
)

// What reads strings is the same on machines without vector instructions.
func TestWithoutBlocks(t *testing.T) {
	tests := []struct {
		name string
		test func(*testing.T)
	}{
		{"ScanEdges", TestScanEdges},
		{"ScanEveryByte", TestScanEveryByte},
		{"ScanEscapesAtEveryOffset", TestScanEscapesAtEveryOffset},
		{"ScanFinds", TestScanFinds},
		{"ScanErrors", TestScanErrorsSayWhereAndWhy},
		{"ScanDoesNotAllocate", TestScanDoesNotAllocate},
		{"MachineEqualsScan", TestMachineEqualsScanHoweverCut},
		{"Lines", TestLines},
		{"Salvage", TestSalvage},
		{"SalvageEveryTear", TestSalvageEveryTear},
		{"Legible", TestLegible},
		{"Joiner", TestJoiner},
	}
	jsonl.WithoutBlocks(func() {
		for _, each := range tests {
			t.Run(each.name, each.test)
		}
	})
}
