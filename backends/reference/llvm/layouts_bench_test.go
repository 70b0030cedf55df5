package llvm

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

// lies is how the elements of n rows of k components lie: how many elements apart
// those of neighbouring rows and components are, in one block or by a table.
type lies struct {
	name       string
	step, part func(n, k int) int
	gathered   bool
}

func fixed(i int) func(int, int) int { return func(int, int) int { return i } }

var (
	inRows   = lies{name: "packed", step: func(_, k int) int { return k }, part: fixed(1)}
	columns  = lies{name: "columns", step: fixed(1), part: func(n, _ int) int { return n }}
	gathered = lies{name: "gathered", step: fixed(1), part: func(n, _ int) int { return n }, gathered: true}
	records  = lies{name: "records", step: func(_, k int) int { return k + 1 }, part: fixed(1)}
	wide     = lies{name: "records of 16", step: fixed(16), part: fixed(1)}
	crossed  = lies{name: "parts of records", step: func(_, k int) int { return 2 * k }, part: fixed(2)}
)

// laid is a body of a program of x, y and z, tensors T of n rows and k components,
// whose results are of type R, and the same as a loop.
type laid struct {
	name string
	args int
	text string
	sums int // 1: over components, 2: over rows
}

const laidHead = `func.func @main(%x: T, %y: T, %z: T) -> R {
  %a = stablehlo.constant dense<1.5> : T
  %b = stablehlo.constant dense<-0.25> : T
  %0 = stablehlo.constant dense<0.0> : T
  %s = stablehlo.constant dense<0.0> : tensor<E>
`

// laidKernels are the programs of benchmarks, after laidHead.
var laidKernels = []laid{
	{"relu", 1, `
  %1 = stablehlo.multiply %x, %a : T
  %2 = stablehlo.add %1, %b : T
  %3 = stablehlo.maximum %2, %0 : T
  return %3 : R
}`, 0},
	{"xy+z", 3, `
  %1 = stablehlo.multiply %x, %y : T
  %2 = stablehlo.add %1, %z : T
  return %2 : R
}`, 0},
	{"tanh", 1, `
  %1 = stablehlo.tanh %x : T
  return %1 : R
}`, 0},
	{"row sums", 1, `
  %1 = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [1] : (T, tensor<E>) -> R
  return %1 : R
}`, 1},
	{"column sums", 1, `
  %1 = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [0] : (T, tensor<E>) -> R
  return %1 : R
}`, 2},
}

type real interface{ float32 | float64 }

// grid is memory of rows and how they lie.
type grid[E real] struct {
	view       soa.View
	mem        []E
	step, part int
}

// lay returns memory with elements from -2 on up to 2.
func lay[E real](b *testing.B, l lies, n, k int, d types.DType) grid[E] {
	g := grid[E]{step: l.step(n, k), part: l.part(n, k)}
	size := int(unsafe.Sizeof(g.mem[0]))
	dense := soa.Make(types.Of(d, (n-1)*g.step+(k-1)*g.part+1))
	g.mem = soa.Slice[E](dense)
	require.Zero(b, uintptr(dense.Base())%uintptr(size))
	for i := range g.mem {
		g.mem[i] = E(i%1000)/250 - 2
	}
	var err error
	g.view, err = dense.Restride(types.Of(d, n, k), 0, []int{g.step, g.part})
	require.NoError(b, err)
	if l.gathered {
		var cols []soa.View
		for i := range k {
			v, err := dense.Restride(types.Of(d, n), i*g.part, []int{g.step})
			require.NoError(b, err)
			cols = append(cols, v)
		}
		g.view, err = soa.NewTable(1, cols...)
		require.NoError(b, err)
	}
	return g
}

// plainLoop is a kernel as one writes it down.
func plainLoop[E real](l *laid, n, k int, x, y, z, to grid[E]) func() {
	switch l.name {
	case "relu":
		return func() {
			for i := range n {
				p, q := i*to.step, i*x.step
				for range k {
					v := 1.5*x.mem[q] - 0.25
					if v < 0 {
						v = 0
					}
					to.mem[p] = v
					p, q = p+to.part, q+x.part
				}
			}
		}
	case "xy+z":
		return func() {
			for i := range n {
				p, q, r, s := i*to.step, i*x.step, i*y.step, i*z.step
				for range k {
					to.mem[p] = x.mem[q]*y.mem[r] + z.mem[s]
					p, q, r, s = p+to.part, q+x.part, r+y.part, s+z.part
				}
			}
		}
	case "tanh":
		return func() {
			for i := range n {
				p, q := i*to.step, i*x.step
				for range k {
					to.mem[p] = E(math.Tanh(float64(x.mem[q])))
					p, q = p+to.part, q+x.part
				}
			}
		}
	case "row sums":
		return func() {
			for i := range n {
				s, q := E(0), i*x.step
				for range k {
					s += x.mem[q]
					q += x.part
				}
				to.mem[i] = s
			}
		}
	}
	return func() {
		sums := make([]E, k)
		for i := range n {
			q := i * x.step
			for j := range sums {
				sums[j] += x.mem[q]
				q += x.part
			}
		}
		copy(to.mem, sums)
	}
}

// laidPairs are how arguments and results of benchmarks lie.
var laidPairs = []struct{ x, y, z, to lies }{
	{columns, columns, columns, columns},
	{gathered, gathered, gathered, gathered},
	{columns, gathered, inRows, columns},
	{columns, columns, columns, inRows},
	{inRows, inRows, inRows, columns},
	{columns, columns, columns, records},
	{records, records, records, columns},
	{records, records, records, inRows},
	{inRows, inRows, inRows, records},
	{records, records, records, records},
	{wide, records, inRows, wide},
	{crossed, crossed, crossed, crossed},
	{crossed, records, columns, inRows},
}

// BenchmarkLayouts reports of each kernel and how its operands lie the best time
// as a multiple of that on inRows data and of a plain loop over the same memory.
func BenchmarkLayouts(b *testing.B) {
	for _, l := range laidKernels {
		b.Run(l.name, func(b *testing.B) {
			for _, k := range []int{1, 3, 4, 8} {
				for _, p := range laidPairs {
					names := []string{p.x.name}
					if l.args == 3 {
						names = append(names, p.y.name, p.z.name)
					}
					if l.sums > 0 && p.to.name != p.x.name {
						continue
					}
					for _, n := range []int{1 << 12, 1 << 20} {
						name := fmt.Sprintf("%dx%d/%s to %s", n, k, strings.Join(names, " "), p.to.name)
						b.Run(name+"/f32", func(b *testing.B) {
							benchLaid[float32](b, l, n, k, []lies{p.x, p.y, p.z}, p.to, types.F32)
						})
						b.Run(name+"/f64", func(b *testing.B) {
							benchLaid[float64](b, l, n, k, []lies{p.x, p.y, p.z}, p.to, types.F64)
						})
					}
				}
			}
		})
	}
}

func benchLaid[E real](b *testing.B, l laid, n, k int, in []lies, out lies, d types.DType) {
	args := []string{"%x", "%y", "%z"}
	shape := []int{n, k}
	switch l.sums {
	case 1:
		shape, out = []int{n}, inRows
	case 2:
		shape, out = []int{k}, inRows
	}
	element := strings.ToLower(d.String())
	tensor := func(shape []int) string {
		return "tensor<" + strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", "x"), "[]") + "x" + element + ">"
	}
	text := laidHead + l.text
	for _, a := range args[l.args:] {
		text = strings.Replace(text, ", "+a+": T", "", 1)
	}
	text = strings.NewReplacer("T", tensor([]int{n, k}), "R", tensor(shape), "E", element).Replace(text)
	back, err := backends.Open("cpu")
	require.NoError(b, err)
	e, err := back.Compile(b.Context(), backends.NewModule(text), backends.Options{Threads: 1})
	require.NoError(b, err)
	var xs, ps [3]grid[E]
	c, dense := &backends.Call{}, &backends.Call{}
	for i := range l.args {
		xs[i], ps[i] = lay[E](b, in[i], n, k, d), lay[E](b, inRows, n, k, d)
		c.Args, dense.Args = append(c.Args, xs[i].view), append(dense.Args, ps[i].view)
	}
	to, check := lay[E](b, out, n, k, d), lay[E](b, out, n, k, d)
	result := func(g grid[E]) soa.View {
		if l.sums > 0 {
			v, err := soa.Borrow(g.mem[:shape[0]], types.Of(d, shape...))
			require.NoError(b, err)
			return v
		}
		return g.view
	}
	c.Results = []soa.View{result(to)}
	dense.Results = []soa.View{result(lay[E](b, inRows, n, k, d))}
	run := func(c *backends.Call) func() {
		return func() {
			if err := e.Execute(b.Context(), c); err != nil {
				b.Fatal(err)
			}
		}
	}
	plain := plainLoop(&l, n, k, xs[0], xs[1], xs[2], check)
	require.NoError(b, e.Execute(b.Context(), c))
	require.Zero(b, e.(backends.Copying).CopiedBytes())
	plain()
	for i := range to.mem {
		if diff := float64(to.mem[i] - check.mem[i]); math.Abs(diff) > 3e-3*math.Max(1, math.Abs(float64(check.mem[i]))) {
			b.Fatalf("element %d is %v, not %v", i, to.mem[i], check.mem[i])
		}
	}
	each := max(1, (1<<19)/(n*k))
	all := []func(){run(c), run(dense), plain}
	best := []float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	var ratios [2][]float64
	for b.Loop() {
		for range 10 {
			var now [3]float64
			for i, f := range all {
				start := time.Now()
				for range each {
					f()
				}
				now[i] = float64(time.Since(start).Nanoseconds()) / float64(each)
				best[i] = min(best[i], now[i])
			}
			ratios[0], ratios[1] = append(ratios[0], now[0]/now[1]), append(ratios[1], now[0]/now[2])
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(best[0]/1e3, "best-µs")
	b.ReportMetric(best[0]/best[1], "of-packed")
	b.ReportMetric(best[0]/best[2], "of-loop")
	slices.Sort(ratios[0])
	slices.Sort(ratios[1])
	b.ReportMetric(ratios[0][len(ratios[0])/2], "median-of-packed")
	b.ReportMetric(ratios[1][len(ratios[1])/2], "median-of-loop")
}
