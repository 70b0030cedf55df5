package kit_test

import (
	"os"
	"testing"
)

func TestShow(t *testing.T) {
	f := os.Getenv("SHOW")
	if f == "" {
		t.Skip()
	}
	text, _ := os.ReadFile("testdata/workloads/" + f + ".mlir")
	p := compile(t, string(text))
	if os.Getenv("BRIEF") == "" {
		t.Log("\n" + p.String())
	}
	t.Logf("%d steps %d kernels %d host", len(p.Steps), len(p.Kernels), len(p.HostSteps()))
	for _, h := range p.HostSteps() {
		t.Log(h.Name, h.Reason)
	}
}
