package lazy_test

import (
	"context"
	"encoding/json"
	"expvar"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"ltc/lazy"
	"ltc/lazy/vars"
)

func ExampleDevice_Metrics() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	for range 4 {
		check(tr.MarkStep(lazy.Ones(tr, lazy.F32, 8).Exp()))
	}
	m := dev.Metrics()
	for _, name := range []string{"MarkStep", "UncachedCompile", "CachedCompile", "lazy::exp"} {
		n, _ := m.Counter(name)
		fmt.Println(name, n)
	}
	fmt.Print(m.Only("MarkStep"))

	name := vars.Publish(dev) // for expvar
	var published struct{ Counters map[string]int64 }
	check(json.Unmarshal([]byte(expvar.Get(name).String()), &published))
	fmt.Println(published.Counters["MarkStep"])
	// Output:
	// MarkStep 4
	// UncachedCompile 1
	// CachedCompile 3
	// lazy::exp 4
	// Counter: MarkStep
	//   Value: 4
	// 4
}

func ExampleLogger() {
	handler := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "took" {
				return slog.Attr{} // so that the output is always the same
			}
			return a
		},
	})
	dev, err := lazy.Open("cpu", lazy.Logger(slog.New(handler)))
	check(err)
	tr := lazy.NewTrace(dev)
	for range 3 {
		fmt.Println(lazy.Ones(tr, lazy.F32, 2).Sum().Float()) // warned of once
	}
	// Output:
	// level=WARN msg="implicit sync" device=cpu at=example_report_test.go:58 by=item of=sum do="give the tensor to MarkStep as a root and read it afterwards, or allow it with ImplicitSyncs or LTC_SYNC=allow"
	// 2
	// 2
	// 2
}

func ExampleTrace_Dump() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	w := dev.Variable("w", lazy.F32, 2)
	y := lazy.From(tr, []float32{1, 2}).Named("x").Mul(w).Sum()
	text, err := tr.Dump(lazy.FormatStableHLO, y)
	check(err)
	fmt.Println(strings.Contains(text, "stablehlo.multiply"))
	drawing, err := tr.Dump(lazy.FormatDot, y)
	check(err)
	fmt.Println(strings.HasPrefix(drawing, "digraph"))
	check(tr.MarkStep(y))
	for _, p := range tr.Parameters() {
		fmt.Println(p.Name, p.Type)
	}
	// Output:
	// true
	// true
	// x f32[2]
	// w f32[2]
}

func ExampleTrace_OnNode() {
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)

	w := dev.Variable("w", lazy.F32, 2)
	remove := tr.OnNode(func(n lazy.NodeInfo) { fmt.Println(n.Op, n.Type) })
	tr.Read(w).Exp().Sum()
	remove()
	tr.Read(w).Log()
	// Output:
	// parameter f32[2]
	// exp f32[2]
	// sum f32[]
}

func ExampleObserveOps() {
	dev, err := lazy.Open("cpu", lazy.ObserveOps(func(op lazy.OpRun) {
		fmt.Println(op.Index, op.Node.Op, op.Result.Type)
	}))
	check(err)
	tr := lazy.NewTrace(dev)
	y := lazy.From(tr, []float32{1, 2}).Exp().Sum()
	check(tr.MarkStep(y))
	check(tr.Wait(context.Background()))
	// Output:
	// 0 exp f32[2]
	// 1 sum f32[]
}
