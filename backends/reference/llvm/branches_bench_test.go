package llvm

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/samples"
	"ltc/soa"
)

// branchPrograms are programs whose branches depend on none of each other.
var branchPrograms = []struct{ name, text string }{
	{"two sorts of 2^20", `func.func @main(%x: tensor<1048576xf32>, %y: tensor<1048576xf32>) -> (tensor<1048576xf32>, tensor<1048576xf32>) {
` + sorted("%a", "%x", "1048576") + sorted("%b", "%y", "1048576") + `  return %a, %b : tensor<1048576xf32>, tensor<1048576xf32>
}`},
	{"two factors of 256", twoFactors(256)},
	{"two factors of 512", twoFactors(512)},
	{"two LSTMs of 64 by 1x128", twoLSTMs(64, 1, 128)},
	{"two LSTMs of 64 by 16x128", twoLSTMs(64, 16, 128)},
	{"two LSTMs of 64 by 16x512", twoLSTMs(64, 16, 512)},
	{"block of convolutions", `func.func @main(%x: tensor<1x14x14x96xf32>, %w0: tensor<1x1x96x32xf32>, %w1: tensor<1x1x96x16xf32>, %w2: tensor<3x3x16x32xf32>, %w3: tensor<1x1x96x8xf32>, %w4: tensor<5x5x8x16xf32>) -> tensor<1x14x14x80xf32> {
` + convolved("%a", "%x", "%w0", 96, 32, 1) + convolved("%b", "%x", "%w1", 96, 16, 1) + convolved("%c", "%b", "%w2", 16, 32, 3) + convolved("%d", "%x", "%w3", 96, 8, 1) + convolved("%e", "%d", "%w4", 8, 16, 5) +
		`  %r = stablehlo.concatenate %a, %c, %e, dim = 3 : (tensor<1x14x14x32xf32>, tensor<1x14x14x32xf32>, tensor<1x14x14x16xf32>) -> tensor<1x14x14x80xf32>
  return %r : tensor<1x14x14x80xf32>
}`},
}

func twoFactors(n int) string {
	return strings.ReplaceAll(`func.func @main(%x: tensor<NxNxf32>, %y: tensor<NxNxf32>) -> (tensor<NxNxf32>, tensor<NxNxf32>) {
  %a = stablehlo.cholesky %x, lower = true : tensor<NxNxf32>
  %b = stablehlo.cholesky %y, lower = true : tensor<NxNxf32>
  return %a, %b : tensor<NxNxf32>, tensor<NxNxf32>
}`, "NxN", fmt.Sprintf("%dx%d", n, n))
}

func sorted(to, from, n string) string {
	return strings.NewReplacer("TO", to, "FROM", from, "N", n).Replace(`  TO = "stablehlo.sort"(FROM) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %l = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) : (tensor<Nxf32>) -> tensor<Nxf32>
`)
}

func convolved(to, from, w string, in, out, window int) string {
	pad := window / 2
	return fmt.Sprintf("  %[1]s = stablehlo.convolution(%[2]s, %[3]s) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[%[4]d, %[4]d], [%[4]d, %[4]d]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x14x14x%[5]dxf32>, tensor<%[6]dx%[6]dx%[5]dx%[7]dxf32>) -> tensor<1x14x14x%[7]dxf32>\n", to, from, w, pad, in, window, out)
}

// twoLSTMs is a layer of LSTMs in both directions: rows of features, and the same rows backwards.
func twoLSTMs(steps, batch, hidden int) string {
	one := func(name, rows, wx, wh string) string {
		return strings.NewReplacer("%R", "%"+name, "ROWS", rows, "WX", wx, "WH", wh).Replace(`  %R:4 = stablehlo.while(%i = %zero, %h = %z, %c = %z, %ys = %zs) : tensor<i32>, tensor<BxHxf32>, tensor<BxHxf32>, tensor<TxBxHxf32> cond {
    %n = stablehlo.constant dense<T> : tensor<i32>
    %l = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %o = stablehlo.constant dense<0> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.dynamic_slice ROWS, %i, %o, %o, sizes = [1, B, H] : (tensor<TxBxHxf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xBxHxf32>
    %x = stablehlo.reshape %s : (tensor<1xBxHxf32>) -> tensor<BxHxf32>
    %xw = stablehlo.dot_general %x, WX, contracting_dims = [1] x [0] : (tensor<BxHxf32>, tensor<HxGxf32>) -> tensor<BxGxf32>
    %hw = stablehlo.dot_general %h, WH, contracting_dims = [1] x [0] : (tensor<BxHxf32>, tensor<HxGxf32>) -> tensor<BxGxf32>
    %g = stablehlo.add %xw, %hw : tensor<BxGxf32>
    %g0 = stablehlo.slice %g [0:B, 0:H] : (tensor<BxGxf32>) -> tensor<BxHxf32>
    %g1 = stablehlo.slice %g [0:B, H:G1] : (tensor<BxGxf32>) -> tensor<BxHxf32>
    %g2 = stablehlo.slice %g [0:B, G1:G2] : (tensor<BxGxf32>) -> tensor<BxHxf32>
    %g3 = stablehlo.slice %g [0:B, G2:G] : (tensor<BxGxf32>) -> tensor<BxHxf32>
    %a0 = stablehlo.logistic %g0 : tensor<BxHxf32>
    %a1 = stablehlo.tanh %g1 : tensor<BxHxf32>
    %a2 = stablehlo.logistic %g2 : tensor<BxHxf32>
    %a3 = stablehlo.logistic %g3 : tensor<BxHxf32>
    %kept = stablehlo.multiply %a3, %c : tensor<BxHxf32>
    %new = stablehlo.multiply %a0, %a1 : tensor<BxHxf32>
    %d = stablehlo.add %kept, %new : tensor<BxHxf32>
    %t = stablehlo.tanh %d : tensor<BxHxf32>
    %k = stablehlo.multiply %a2, %t : tensor<BxHxf32>
    %row = stablehlo.reshape %k : (tensor<BxHxf32>) -> tensor<1xBxHxf32>
    %next = stablehlo.dynamic_update_slice %ys, %row, %i, %o, %o : (tensor<TxBxHxf32>, tensor<1xBxHxf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<TxBxHxf32>
    stablehlo.return %j, %k, %d, %next : tensor<i32>, tensor<BxHxf32>, tensor<BxHxf32>, tensor<TxBxHxf32>
  }
`)
	}
	b, h, g := fmt.Sprint(batch), fmt.Sprint(hidden), fmt.Sprint(4*hidden)
	return strings.NewReplacer("TxBxH", fmt.Sprintf("%dx%sx%s", steps, b, h), "BxH", b+"x"+h, "BxG", b+"x"+g, "HxG", h+"x"+g, "<T>", fmt.Sprintf("<%d>", steps), "[1, B, H]", "[1, "+b+", "+h+"]",
		"0:B", "0:"+b, "0:H", "0:"+h, "H:G1", h+":"+fmt.Sprint(2*hidden), "G1:G2", fmt.Sprintf("%d:%d", 2*hidden, 3*hidden), "G2:G", fmt.Sprintf("%d:", 3*hidden)+g).Replace(`func.func @main(%rows: tensor<TxBxHxf32>, %wx: tensor<HxGxf32>, %wh: tensor<HxGxf32>, %vx: tensor<HxGxf32>, %vh: tensor<HxGxf32>) -> (tensor<TxBxHxf32>, tensor<TxBxHxf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<BxHxf32>
  %zs = stablehlo.constant dense<0.0> : tensor<TxBxHxf32>
` + one("first", "%rows", "%wx", "%wh") + `  %back = stablehlo.reverse %rows, dims = [0] : tensor<TxBxHxf32>
` + one("second", "%back", "%vx", "%vh") + `  return %first#3, %second#3 : tensor<TxBxHxf32>, tensor<TxBxHxf32>
}`)
}

// BenchmarkBranches runs programs of branches on one thread and on two by turns.
func BenchmarkBranches(b *testing.B) {
	for _, p := range branchPrograms {
		b.Run(p.name, func(b *testing.B) {
			var runs [2]func()
			for i := range runs {
				e, err := backends.Open("cpu")
				require.NoError(b, err)
				x, err := e.Compile(b.Context(), backends.NewModule(p.text), backends.Options{Threads: i + 1})
				require.NoError(b, err)
				call := &backends.Call{}
				for k, a := range x.Signature().Args {
					v, err := samples.Make(a.Type, fmt.Sprint("rand:", k))
					require.NoError(b, err)
					call.Args = append(call.Args, v)
				}
				for _, r := range x.Signature().Results {
					call.Results = append(call.Results, soa.Make(r.Type))
				}
				runs[i] = func() {
					if err := x.Execute(b.Context(), call); err != nil {
						b.Fatal(err)
					}
				}
				runs[i]()
			}
			best := [2]time.Duration{time.Hour, time.Hour}
			for b.Loop() {
				for i, run := range runs {
					best[i] = min(best[i], timed(run))
				}
			}
			b.ReportMetric(float64(best[0].Nanoseconds())/1e3, "1-thread-µs")
			b.ReportMetric(float64(best[1].Nanoseconds())/1e3, "2-threads-µs")
			b.ReportMetric(float64(best[0])/float64(best[1]), "x")
		})
	}
}
