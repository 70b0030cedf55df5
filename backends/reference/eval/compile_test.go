package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/soa"
)

// calls is a program of n functions, each of which calls the one before.
func calls(n int) string {
	const t = "tensor<8xf32>"
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "func.func private @f%[1]d(%%a: %[2]s) -> %[2]s {\n", i, t)
		if i > 0 {
			fmt.Fprintf(&b, "  %%0 = call @f%[1]d(%%a) : (%[2]s) -> %[2]s\n", i-1, t)
		} else {
			fmt.Fprintf(&b, "  %%0 = stablehlo.add %%a, %%a : %s\n", t)
		}
		fmt.Fprintf(&b, "  return %%0 : %s\n}\n", t)
	}
	fmt.Fprintf(&b, "func.func public @main(%%a: %[2]s) -> %[2]s {\n  %%0 = call @f%[1]d(%%a) : (%[2]s) -> %[2]s\n  return %%0 : %[2]s\n}\n", n-1, t)
	return b.String()
}

// alive is a program of n values of several sizes, of which all are in use at
// once, and of n more that take their places one by one.
func alive(n int) string {
	var b strings.Builder
	b.WriteString("func.func public @main(%z: tensor<f32>, %a: tensor<8xf32>) -> tensor<f32> {\n")
	for i := range n {
		fmt.Fprintf(&b, "  %%b%[1]d = stablehlo.broadcast_in_dim %%z, dims = [] : (tensor<f32>) -> tensor<%[2]dxf32>\n", i, 1+i*37%101)
	}
	sum := "z"
	for k := range n {
		i := k * 7919 % n
		fmt.Fprintf(&b, "  %%r%[1]d = stablehlo.reduce(%%b%[2]d init: %%%[4]s) applies stablehlo.add across dimensions = [0] : (tensor<%[3]dxf32>, tensor<f32>) -> tensor<f32>\n", k, i, 1+i*37%101, sum)
		sum = fmt.Sprintf("r%d", k)
	}
	fmt.Fprintf(&b, "  return %%%s : tensor<f32>\n}\n", sum)
	return b.String()
}

// tuples is a program that makes a tuple of n values and takes each of them.
func tuples(n int) string {
	const t = "tensor<8xf32>"
	typ := "tuple<" + strings.TrimSuffix(strings.Repeat(t+", ", n), ", ") + ">"
	var b strings.Builder
	fmt.Fprintf(&b, "!t = %s\nfunc.func public @main(%%a: %[2]s) -> %[2]s {\n  %%t = stablehlo.tuple %s : !t\n", typ, t, strings.TrimSuffix(strings.Repeat("%a, ", n), ", "))
	for i := range n {
		fmt.Fprintf(&b, "  %%%[1]d = stablehlo.get_tuple_element %%t[%[1]d] : (!t) -> %[2]s\n", i, t)
	}
	fmt.Fprintf(&b, "  return %%%d : %s\n}\n", n-1, t)
	return b.String()
}

// BenchmarkCompileLarge shows how the time to compile grows with a program:
// each line should take about twice as long as the one before.
func BenchmarkCompileLarge(b *testing.B) {
	for _, p := range []struct {
		name string
		text func(int) string
	}{{"chain", programs.Chain}, {"calls", calls}, {"alive", alive}, {"tuples", tuples}} {
		for _, n := range []int{5000, 10000, 20000, 40000} {
			if p.name == "tuples" && n > 20000 {
				continue // longer than a line may stand for
			}
			text := p.text(n)
			b.Run(fmt.Sprintf("%s/%d", p.name, n), func(b *testing.B) {
				for b.Loop() {
					compile(b, text)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/unit")
			})
		}
	}
}

// lateContext is done once it has been asked so many times.
type lateContext struct {
	context.Context
	asked, after int
	done         chan struct{}
}

func (c *lateContext) Done() <-chan struct{} {
	return c.done
}

func (c *lateContext) Err() error {
	if c.asked++; c.asked == c.after {
		close(c.done)
	}
	if c.asked >= c.after {
		return context.Canceled
	}
	return nil
}

// begunContext calls begin when it has first been asked whether it is done.
type begunContext struct {
	context.Context
	begin func()
	once  sync.Once
}

func (c *begunContext) Err() error {
	defer c.once.Do(c.begin)
	return c.Context.Err()
}

// Compile looks at its context while it parses, verifies and prepares.
func TestCompileCancelled(t *testing.T) {
	// On time: parsing this alone takes much longer.
	long := fmt.Sprintf("func.func public @main() -> tensor<4000000xf32> {\n  %%0 = stablehlo.constant dense<[1.5%s]> : tensor<4000000xf32>\n  return %%0 : tensor<4000000xf32>\n}\n", strings.Repeat(", 1.5", 4000000-1))
	for name, text := range map[string]string{"ops": programs.Chain(60000), "literal": long} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(context.Background())
			begun := &begunContext{Context: ctx, begin: func() {
				time.AfterFunc(5*time.Millisecond, func() { cancel(errLeaving) })
			}}
			start := time.Now()
			_, err := New().Compile(begun, backends.NewModule(text), backends.Options{Name: "m.mlir"})
			require.ErrorIs(t, err, errLeaving)
			require.Regexp(t, `^m.mlir: parse ended on line \d+: the caller has left$`, err.Error())
			require.Less(t, time.Since(start), 10*time.Second)
		})
	}
	// In the midst of preparing ops: the context is asked once for each.
	ctx := &lateContext{Context: context.Background(), after: 500, done: make(chan struct{})}
	_, err := New().Compile(ctx, backends.NewModule(programs.Chain(10000)), backends.Options{})
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, ctx.asked, 600)
}

// Splats take no memory of their own, however many and large they are; what
// must be written out counts with all that is alive at once.
func TestSplats(t *testing.T) {
	const big = "tensor<150000000xf32>"
	var many strings.Builder
	many.WriteString("func.func public @main(%a: tensor<f32>) -> tensor<10xf32> {\n")
	sum := ""
	for i := range 40 {
		fmt.Fprintf(&many, "  %%c%[1]d = stablehlo.constant dense<%[1]d.0> : %[2]s\n  %%s%[1]d = stablehlo.slice %%c%[1]d [149999990:150000000] : (%[2]s) -> tensor<10xf32>\n", i, big)
		if sum == "" {
			sum = "s0"
			continue
		}
		fmt.Fprintf(&many, "  %%t%[1]d = stablehlo.add %%%[2]s, %%s%[1]d : tensor<10xf32>\n", i, sum)
		sum = fmt.Sprintf("t%d", i)
	}
	fmt.Fprintf(&many, "  return %%%s : tensor<10xf32>\n}\n", sum)
	e := compile(t, many.String())
	require.Less(t, e.(*executable).code.arenaAll, 1<<20)
	c := &backends.Call{Args: arguments(e)}
	require.NoError(t, e.Execute(context.Background(), c))
	require.Equal(t, float32(39*40/2), soa.Slice[float32](c.Results[0])[9])

	// As many that are all written out, and all needed at the end.
	var dense strings.Builder
	n := int(soa.Limit()/600e6) + 2
	fmt.Fprintf(&dense, "func.func public @main(%%a: tensor<f32>) -> (%s) {\n", strings.TrimSuffix(strings.Repeat(big+", ", n), ", "))
	var names []string
	for i := range n {
		fmt.Fprintf(&dense, "  %%c%[1]d = stablehlo.constant dense<%[1]d.0> : %[2]s\n", i, big)
		names = append(names, fmt.Sprintf("%%c%d", i))
	}
	fmt.Fprintf(&dense, "  return %s : %s\n}\n", strings.Join(names, ", "), strings.TrimSuffix(strings.Repeat(big+", ", n), ", "))
	require.ErrorIs(t, compileError(dense.String()), soa.ErrMemory)
}

// A splat is what its literal says to every op, in blocks or written out.
func TestSplatOperands(t *testing.T) {
	e := compile(t, `func.func public @main(%a: tensor<3x5000xf32>, %z: tensor<f32>) -> (tensor<3x5000xf32>, tensor<3x5000xf32>, tensor<3xf32>, tensor<5000x3xf32>, tensor<7x4xf32>, tensor<3x5000xf32>, tensor<3x10000xi32>) {
  %c = stablehlo.constant dense<2.5> : tensor<3x5000xf32>
  %0 = stablehlo.add %a, %c : tensor<3x5000xf32>
  %1 = stablehlo.negate %c : tensor<3x5000xf32>
  %2 = stablehlo.reduce(%c init: %z) applies stablehlo.add across dimensions = [1] : (tensor<3x5000xf32>, tensor<f32>) -> tensor<3xf32>
  %3 = stablehlo.transpose %c, dims = [1, 0] : (tensor<3x5000xf32>) -> tensor<5000x3xf32>
  %k = stablehlo.constant dense<4.0> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<f32>) -> tensor<7x4xf32>
  %5 = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<f32>) -> tensor<3x5000xf32>
  %p = stablehlo.compare GT, %a, %c : (tensor<3x5000xf32>, tensor<3x5000xf32>) -> tensor<3x5000xi1>
  %6 = stablehlo.select %p, %c, %5 : tensor<3x5000xi1>, tensor<3x5000xf32>
  %l = stablehlo.constant dense<1.0> : tensor<3x5000xf64>
  %7 = stablehlo.bitcast_convert %l : (tensor<3x5000xf64>) -> tensor<3x5000x2xi32>
  %8 = stablehlo.reshape %7 : (tensor<3x5000x2xi32>) -> tensor<3x10000xi32>
  return %0, %1, %2, %3, %4, %6, %8 : tensor<3x5000xf32>, tensor<3x5000xf32>, tensor<3xf32>, tensor<5000x3xf32>, tensor<7x4xf32>, tensor<3x5000xf32>, tensor<3x10000xi32>
}`)
	c := &backends.Call{Args: arguments(e)}
	a := soa.Slice[float32](c.Args[0])
	soa.Slice[float32](c.Args[1])[0] = 0
	for i := range a {
		a[i] = float32(i % 7)
	}
	require.NoError(t, e.Execute(context.Background(), c))
	all := func(j int) []float32 { return soa.Slice[float32](c.Results[j]) }
	for i := range a {
		chosen := float32(4)
		if a[i] > 2.5 {
			chosen = 2.5
		}
		require.Equal(t, []float32{a[i] + 2.5, -2.5, 2.5, chosen}, []float32{all(0)[i], all(1)[i], all(3)[i], all(5)[i]}, "element %d", i)
	}
	require.Equal(t, []float32{12500, 12500, 12500}, all(2))
	require.Equal(t, slices.Repeat([]float32{4}, 28), all(4))
	require.Equal(t, slices.Repeat([]int32{0, 0x3ff00000}, 15000), soa.Slice[int32](c.Results[6]))
}

// Tuples of tuples hold more than the text that says so: that is refused.
func TestTuplesOfTuples(t *testing.T) {
	trials.Sequential(t)
	var b strings.Builder
	b.WriteString("!t0 = tuple<tensor<f32>, tensor<f32>>\n")
	for i := range 14 {
		fmt.Fprintf(&b, "!t%[2]d = tuple<!t%[1]d, !t%[1]d>\n", i, i+1)
	}
	b.WriteString("func.func public @main(%a: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.tuple %a, %a : !t0\n")
	for i := range 14 {
		fmt.Fprintf(&b, "  %%%[2]d = stablehlo.tuple %%%[1]d, %%%[1]d : !t%[2]d\n", i, i+1)
	}
	for i := range 1000 {
		fmt.Fprintf(&b, "  %%b%d = stablehlo.optimization_barrier %%14 : !t14\n", i)
	}
	b.WriteString("  return %a : tensor<f32>\n}\n")
	require.ErrorContains(t, compileError(b.String()), "error: stablehlo.optimization_barrier: "+tooManyLeaves)
}

// Whatever is alive at once lies apart in the arena.
func TestLayout(t *testing.T) {
	trials.Sequential(t)
	r := rand.New(rand.NewPCG(4, 9))
	c := &code{}
	for i := range 2000 {
		c.slots = append(c.slots, slot{bytes: r.IntN(1000), def: i, last: i + r.IntN(1+r.IntN(1500))})
	}
	c.layout()
	for i, a := range c.slots {
		require.LessOrEqual(t, a.offset+a.bytes, c.arena)
		for _, b := range c.slots[:i] {
			if b.last >= a.def && a.bytes > 0 && b.bytes > 0 {
				require.True(t, b.offset+b.bytes <= a.offset || a.offset+a.bytes <= b.offset, "%+v and %+v", a, b)
			}
		}
	}
	// One that dies where others are defined is taken over by one of them.
	d := &code{slots: []slot{{bytes: 64, def: 0, last: 1}, {bytes: 64, def: 1, last: 2, reuse: []int{0}}, {bytes: 64, def: 1, last: 2, reuse: []int{0}}}}
	d.layout()
	require.Equal(t, []int{0, 0, 64, 128}, []int{d.slots[0].offset, d.slots[1].offset, d.slots[2].offset, d.arena})
}

// What a program takes includes the tables that its gathers count places by: caches of programs drop it by that.
func TestTablesCount(t *testing.T) {
	taken := func(n int) int {
		return compile(t, fmt.Sprintf(`func.func public @main(%%a: tensor<4xi8>, %%i: tensor<%[1]dxi8>) -> tensor<%[1]dxi8> {
  %%0 = "stablehlo.gather"(%%a, %%i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4xi8>, tensor<%[1]dxi8>) -> tensor<%[1]dxi8>
  return %%0 : tensor<%[1]dxi8>
}
`, n)).(backends.Resident).ResidentBytes()
	}
	const rows = 1 << 16
	require.GreaterOrEqual(t, taken(1+rows)-taken(1), 2*8*rows)
}
