package optim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/reference/eval"
	"ltc/lazy"
)

// An update runs one kernel for each parameter, and a few for all. The kernels of parameters
// are of few forms, which are compiled once. Rules with norms or products run more.
func TestUpdatesAreFewKernels(t *testing.T) {
	const params = 20
	for name, c := range optimizers {
		t.Run(name, func(t *testing.T) {
			dev, err := lazy.Open("cpu")
			require.NoError(t, err)
			tr := lazy.NewTrace(dev)
			var all, grads tensors
			for i := range params {
				all = append(all, dev.Variable(fmt.Sprintf("w%d", i), lazy.F32, 50, 100+i))
			}
			c.second.Params = all[params/2:]
			o := c.make(dev, all[:params/2], c.second)
			for _, w := range o.Params() {
				grads = append(grads, tr.Read(dev.Variable("g", lazy.F32, w.Shape()...)))
			}
			require.NoError(t, o.StepGrads(grads))
			require.NoError(t, tr.MarkStep())
			p, err := backends.Load(t.Context(), backends.NewModule(tr.StableHLO()), backends.Options{})
			require.NoError(t, err)
			compiled, err := kit.Compile(t.Context(), p, kit.Options{Eval: eval.New()})
			require.NoError(t, err)
			for _, h := range compiled.HostSteps() {
				t.Errorf("%s is left to the evaluator: %s", h.Op, h.Reason)
			}
			each, shared := 1, 2*len(o.Groups()) // a group has a count of steps, and what follows from it
			switch kind, _, _ := strings.Cut(name, " "); kind {
			case "lamb":
				each = 6
			case "adafactor":
				each = 8
			case "muon":
				each = 24 // of products
			}
			require.LessOrEqual(t, len(compiled.Steps), each*len(grads)+shared)
			if each == 1 {
				require.LessOrEqual(t, len(compiled.Kernels), 7)
			}
		})
	}
}
