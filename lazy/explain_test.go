package lazy_test

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/internal/explain"
	"ltc/internal/test/golden"
	"ltc/ir/types"
	"ltc/lazy"
)

// cause is a change of a program that makes it compile again.
type cause struct {
	kind lazy.CompileKind
	name string // as the page has it
	op   string // what the explanation names
	run  func(c *causes)
}

// causes runs a cause.
type causes struct {
	t   *testing.T
	dev *lazy.Device
	tr  *lazy.Trace
	// of other traces and functions
	explain func() []lazy.Explanation
}

// mark marks the steps of one line.
func (c *causes) mark(roots ...*lazy.Tensor) { require.NoError(c.t, c.tr.MarkStep(roots...)) }

// steps runs two steps, or more, which record what f does.
func (c *causes) steps(f func(i int) *lazy.Tensor) {
	for i := range 2 {
		c.mark(f(i))
	}
}

// open opens another device, and marks the steps of the cause there.
func (c *causes) open(name string, opts ...lazy.Option) {
	c.dev = open(c.t, name, opts...)
	c.tr = lazy.NewTrace(c.dev)
	c.explain = c.tr.Explain
}

func (c *causes) from(n int) *lazy.Tensor { return lazy.From(c.tr, make([]float32, n)) }

var allCauses = []cause{
	{lazy.CompileShape, "the last batch is smaller", "parameter f32[60,8], was f32[64,8]", func(c *causes) {
		c.steps(func(i int) *lazy.Tensor { return lazy.From(c.tr, make([]float32, (64-4*i)*8), 64-4*i, 8).Exp().Sum(0) })
	}},
	{lazy.CompileShape, "the last batch is smaller, on `cpu`", "parameter f32[n,8], was f32[64,8]", func(c *causes) {
		c.open("cpu")
		c.steps(func(i int) *lazy.Tensor { return lazy.From(c.tr, make([]float32, (64-4*i)*8), 64-4*i, 8).Exp().Sum(0) })
	}},
	{lazy.CompileShape, "a sequence that grows by a token", "axis 0 grows by 1 each time", func(c *causes) {
		for i := range 5 {
			c.mark(c.from(i + 1).Exp())
		}
	}},
	{lazy.CompileShape, "another rank", "parameter f32[2,2], was f32[4]", func(c *causes) {
		c.steps(func(i int) *lazy.Tensor {
			if i == 0 {
				return lazy.From(c.tr, make([]float32, 4), 4).Exp()
			}
			return lazy.From(c.tr, make([]float32, 4), 2, 2).Exp()
		})
	}},
	{lazy.CompileShape, "a `Function` is called with another size", "Export the function with AnySize", func(c *causes) {
		f := lazy.Func(c.dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Exp().Sum() })
		for i := range 2 {
			_, err := f.Call(c.t.Context(), lazy.From(c.dev, make([]float32, 4-i)))
			require.NoError(c.t, err)
		}
		c.explain = f.Explain
	}},
	{lazy.CompileDType, "data of another dtype", "parameter f64[4], was f32[4]", func(c *causes) {
		c.steps(func(i int) *lazy.Tensor {
			if i == 0 {
				return lazy.From(c.tr, make([]float32, 4)).Exp()
			}
			return lazy.From(c.tr, make([]float64, 4)).Exp()
		})
	}},
	{lazy.CompileDType, "`Convert` to another dtype", "convert bf16[4], was f16[4]", func(c *causes) {
		c.steps(func(i int) *lazy.Tensor { return c.from(4).Convert([]types.DType{lazy.F16, lazy.BF16}[i]).Exp() })
	}},
	{lazy.CompileAttribute, "the start of a `Slice`", "slice f32[2] with starts = [1], was starts = [0]", func(c *causes) {
		c.steps(func(i int) *lazy.Tensor { return c.from(4).Slice([]int{i}, []int{i + 2}, []int{1}).Exp() })
	}},
	{lazy.CompileAttribute, "the axis of a sum, and with it types", "with axes = [1], was axes = [0]", func(c *causes) {
		c.steps(func(i int) *lazy.Tensor { return c.from(6).Reshape(2, 3).Sum(i).Exp() })
	}},
	{lazy.CompileAttribute, "the number of iterations of a `For`", "for f32[4] with iterations = 4, was iterations = 3", func(c *causes) {
		c.steps(func(i int) *lazy.Tensor {
			body := func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
				return []*lazy.Tensor{s[0].Exp()}
			}
			return lazy.For(3+i, body, c.from(4))[0]
		})
	}},
	{lazy.CompileConstant, "a constant by `Const`", "the constant 1.0, was 0.0", func(c *causes) {
		c.steps(func(i int) *lazy.Tensor { return c.from(4).Exp().Mul(lazy.Const(c.tr, lazy.F32, float64(i))) })
	}},
	{lazy.CompileConstant, "a number, with `NumbersAsConstants`", "the constant 0.25, was 0.5", func(c *causes) {
		c.open("eval", lazy.NumbersAsConstants())
		c.steps(func(i int) *lazy.Tensor { return c.from(4).MulScalar(0.5 / float64(i+1)) })
	}},
	{lazy.CompileNumber, "a number that varies becomes an argument", "the number 0.5, now another", func(c *causes) {
		c.steps(func(i int) *lazy.Tensor { return c.from(4).MulScalar(0.5 / float64(i+1)) })
	}},
	{lazy.CompileArgument, "a state that begins with `Zeros`", "parameter f32[4], was constant f32[]", func(c *causes) {
		h := lazy.Zeros(c.tr, lazy.F32, 4)
		for range 2 {
			h = c.from(4).Exp().Add(h).Tanh()
			c.mark(h)
		}
	}},
	{lazy.CompileExtraOp, "a branch records an op more", "neg f32[4] is new", func(c *causes) {
		c.steps(func(i int) *lazy.Tensor {
			y := c.from(4).Exp()
			if i == 1 {
				y = y.Neg()
			}
			return y.Sum().Sqrt()
		})
	}},
	{lazy.CompileExtraOp, "a Go loop has an iteration more", "2 ops are new, the first sin f32[4]", func(c *causes) {
		c.steps(func(i int) *lazy.Tensor {
			y := c.from(4)
			for range 3 + i {
				y = y.Sin().Exp()
			}
			return y.Sum()
		})
	}},
	{lazy.CompileMissingOp, "a branch leaves an op out", "neg f32[4] is gone", func(c *causes) {
		c.steps(func(i int) *lazy.Tensor {
			y := c.from(4).Exp()
			if i == 0 {
				y = y.Neg()
			}
			return y.Sum().Sqrt()
		})
	}},
	{lazy.CompileOtherOp, "a branch records another op", "cos f32[4], was sin f32[4]", func(c *causes) {
		c.steps(func(i int) *lazy.Tensor {
			y := c.from(4)
			if i == 0 {
				return y.Sin().Sum()
			}
			return y.Cos().Sum()
		})
	}},
	{lazy.CompileOtherOp, "the body of a `For` records another op", "cos f32[4], was sin f32[4]", func(c *causes) {
		c.steps(func(i int) *lazy.Tensor {
			return steps(3, c.from(4), func(s *lazy.Tensor) *lazy.Tensor {
				if i == 0 {
					return s.Sin()
				}
				return s.Cos()
			})
		})
	}},
	{lazy.CompileWiring, "operands are swapped", "sub f32[4] takes its operands in another order", func(c *causes) {
		c.steps(func(i int) *lazy.Tensor {
			x, y := c.from(4).Exp(),
				c.from(4).Neg()
			if i == 0 {
				return x.Sub(y).Sum()
			}
			return y.Sub(x).Sum()
		})
	}},
	{lazy.CompileWiring, "an op takes another value", "mul f32[4] takes exp f32[4]", func(c *causes) {
		c.steps(func(i int) *lazy.Tensor {
			x := c.from(4).Exp()
			y := x.Neg()
			z := x.Mul(y)
			if i == 1 {
				z = x.Mul(x)
			}
			return z.Add(y)
		})
	}},
	{lazy.CompileRoots, "`MarkStep` gets a root more", "the root neg f32[4] is new", func(c *causes) {
		for i := range 2 {
			x := c.from(4).Exp()
			y := x.Neg()
			c.mark([]*lazy.Tensor{x, y}[:1+i]...)
		}
	}},
	{lazy.CompileRoots, "`MarkStep` gets a root less", "the root exp f32[4] is gone", func(c *causes) {
		for i := range 2 {
			x := c.from(4).Exp()
			c.mark([]*lazy.Tensor{x, x.Neg()}[i:]...)
		}
	}},
	{lazy.CompileDonation, "a variable is assigned in one step alone", `parameter "w" f32[4] is assigned or donated, and was not`, func(c *causes) {
		w := c.dev.Variable("w", lazy.F32, 4)
		for i := range 2 {
			y := c.from(4).Mul(w)
			if i == 1 {
				w.Add_(y)
			}
			c.mark(y)
		}
	}},
	{lazy.CompileDonation, "a variable is no longer assigned", `parameter "w" f32[4] is not assigned or donated, and was`, func(c *causes) {
		w := c.dev.Variable("w", lazy.F32, 4)
		for i := range 2 {
			y := c.from(4).Mul(w)
			if i == 0 {
				w.Add_(y)
			}
			c.mark(y)
		}
	}},
	{lazy.CompileRandom, "`Dropout` in one step alone", "draws random numbers, and none were drawn", func(c *causes) {
		r := lazy.NewRandom(c.dev, 1)
		c.steps(func(i int) *lazy.Tensor {
			y := c.from(4).Exp()
			if i == 1 {
				y = r.Dropout(y, 0.5)
			}
			return y.Sum()
		})
	}},
	{lazy.CompileRead, "a tensor is read before `MarkStep`", "the result of exp is read before MarkStep", func(c *causes) {
		c.mark(c.from(3).Exp().Sum())
		c.from(4).Exp().Value()
	}},
	{lazy.CompileRead, "the step after such a read", "f32[4] was computed here, and is an argument now", func(c *causes) {
		c.tr.ImplicitSyncs(lazy.AllowSyncs)
		c.steps(func(i int) *lazy.Tensor {
			y := c.from(4).Exp()
			if i == 1 {
				y.Value()
			}
			return y.Neg().Sum()
		})
	}},
	{lazy.CompileNewLine, "a line marks its first step", "differs in 1 op: exp f32[4] is gone", func(c *causes) {
		c.mark(c.from(4).Exp().Sum())
		require.NoError(c.t, c.tr.MarkStep(c.from(4).Sum()))
	}},
	{lazy.CompileEvicted, "the cache has no room for it", "dropped from the cache", func(c *causes) {
		c.open("eval", lazy.ProgramCacheLimit(1))
		c.tr.Reuse(false) // which holds on to programs
		c.steps(func(int) *lazy.Tensor { return c.from(4).Exp() })
	}},
	{lazy.CompileLines, "other lines record it, and `CheckNaNs` is on", "nothing but lines", func(c *causes) {
		c.open("eval", lazy.CheckNaNs(true))
		c.steps(func(i int) *lazy.Tensor {
			at := lazy.From(c.tr, []int32{0})
			if i == 0 {
				return c.from(4).Gather(at)
			}
			return c.from(4).Gather(at)
		})
	}},
	{lazy.CompileOptions, "a device with another number of `Threads`", "Threads = 1, was Threads = 0", func(c *causes) {
		for _, opts := range [][]lazy.Option{nil, {lazy.Threads(1)}} {
			c.open("eval", opts...)
			c.mark(c.from(4).Exp())
		}
	}},
	{lazy.CompileOptions, "a device with `NumbersAsConstants`", "NumbersAsConstants = true, was NumbersAsConstants = false", func(c *causes) {
		for _, opts := range [][]lazy.Option{nil, {lazy.NumbersAsConstants()}} {
			c.open("eval", opts...)
			for _, x := range []float64{2, 3}[:2-len(opts)] {
				c.mark(c.from(4).AddScalar(x))
			}
		}
	}},
	{lazy.CompileBackend, "a device of another backend", "device cpu, was eval", func(c *causes) {
		for _, name := range []string{"eval", "cpu"} {
			c.open(name)
			c.mark(c.from(4).Exp())
		}
	}},
}

// explained runs a cause and returns the latest explanation.
func (x *cause) explained(t *testing.T) lazy.Explanation {
	c := &causes{t: t}
	c.open("eval")
	x.run(c)
	all := c.explain()
	require.NotEmpty(t, all)
	return all[len(all)-1]
}

// Each cause is named: its kind, the op, and the line as reports have it.
func TestCausesOfCompilesAreNamed(t *testing.T) {
	kinds := map[lazy.CompileKind]bool{lazy.CompileEqual: true} // which ltc-dump alone has
	for i := range allCauses {
		x := &allCauses[i]
		kinds[x.kind] = true
		t.Run(x.name, func(t *testing.T) {
			e := x.explained(t)
			require.Equal(t, x.kind, e.Kind, "%v", e)
			require.Contains(t, e.String(), x.op)
			require.NotContains(t, e.String(), "unknown")
			require.Regexp(t, `^explain_test.go:\d+$`, e.At)
			require.Equal(t, e.At, e.Stack[0])
			require.NotEmpty(t, e.Do)
			require.Positive(t, e.Took)
		})
	}
	require.Len(t, kinds, int(explain.NumKinds), "each kind has a cause")
}

// trainStep marks a step on a batch of n.
func trainStep(t *testing.T, tr *lazy.Trace, n int) {
	require.NoError(t, tr.MarkStep(lazy.From(tr, make([]float32, n)).Exp()))
}

// An explanation has the stack of the line, and is logged once, for debugging.
func TestExplanationsHaveStacksAndAreLogged(t *testing.T) {
	var log logged
	tr := lazy.NewTrace(open(t, "eval", logTo(&log)))
	epoch := func(n int) { trainStep(t, tr, n) }
	for _, n := range []int{4, 3, 4} {
		epoch(n)
	}
	all := tr.Explain()
	require.Len(t, all, 1)
	e := all[0]
	require.EqualValues(t, 2, e.Number)
	require.Len(t, e.Stack, 3, "trainStep, epoch and the test")
	require.Equal(t, e.At, e.Stack[0])
	require.Equal(t, e.At, e.Nearest)
	require.Equal(t, 1, e.Differ)
	require.Equal(t, 2, e.Ops)
	require.Equal(t, e.Now, e.Was)
	require.Equal(t, tr.Report().Compiles[1].Reason, e.Now+": "+e.What+"; "+e.Do)
	logs := log.of("DEBUG compiled again")
	require.Len(t, logs, 1)
	require.Contains(t, logs[0], "kind=shape differs=parameter f32[3], was f32[4] recorded="+e.Now+" before="+e.Was+" nearest="+e.At+" do=pad axis 0")
	require.Nil(t, (*lazy.Trace)(nil).Explain())
	require.Nil(t, (*lazy.Function)(nil).Explain())
	require.Nil(t, (*lazy.Device)(nil).Explain())
	require.Equal(t, all, tr.Device().Explain())
}

// With Stacks, both ops have the calls that led to them.
func TestStacksOfOps(t *testing.T) {
	layer := func(x *lazy.Tensor, n int) *lazy.Tensor {
		return x.Slice([]int{n}, []int{n + 1}, []int{1})
	}
	explained := func(opts ...lazy.Option) lazy.Explanation {
		tr := lazy.NewTrace(open(t, "eval", opts...))
		step := func(n int) { require.NoError(t, tr.MarkStep(layer(lazy.From(tr, []float32{1, 2}), n).Exp())) }
		step(0)
		step(0)
		step(1)
		all := tr.Explain()
		require.Len(t, all, 1)
		require.Equal(t, lazy.CompileAttribute, all[0].Kind)
		return all[0]
	}
	e := explained()
	require.Equal(t, []string{e.Now}, e.NowStack)
	e = explained(lazy.Stacks(3))
	require.Len(t, e.NowStack, 3, "layer, step and its caller")
	require.Len(t, e.WasStack, 3)
	require.Equal(t, e.Now, e.NowStack[0])
	require.Equal(t, e.NowStack[:2], e.WasStack[:2])
	require.NotEqual(t, e.NowStack[2], e.WasStack[2], "the calls of step")
	require.NotContains(t, e.String(), "recorded at", "the line is one")
	t.Setenv("LTC_STACKS", "2")
	require.Len(t, explained().NowStack, 2)
}

// What the process remembers of compiles keeps no device alive.
func TestExplanationsKeepNoDevice(t *testing.T) {
	gone := make(chan struct{})
	func() {
		d := open(t, "eval")
		tr := lazy.NewTrace(d)
		trainStep(t, tr, 4)
		trainStep(t, tr, 5)
		require.Len(t, tr.Explain(), 1)
		runtime.AddCleanup(d, func(c chan struct{}) { close(c) }, gone)
	}()
	for range 100 {
		runtime.GC()
		select {
		case <-gone:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	require.Fail(t, "the device is still reachable")
}

// What Warmup compiles is wanted, and the step that another program is for is explained by it.
func TestWarmupIsCompared(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	step := func(n int) *lazy.Tensor { return lazy.From(tr, make([]float32, n)).Exp() }
	require.NoError(t, tr.Warmup(step(4)))
	tr.Discard()
	require.Empty(t, tr.Explain())
	require.NoError(t, tr.MarkStep(step(3)))
	all := tr.Explain()
	require.Len(t, all, 1)
	require.Equal(t, lazy.CompileNewLine, all[0].Kind)
	require.Contains(t, all[0].What, "differs in 1 op: parameter f32[3], was f32[4]")
	require.NotContains(t, tr.Report().String(), "compiled again")
}

// A loop of other ops and of another number of iterations is not as near as one of other ops.
func TestNearestLoop(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	step := func(n int, f func(*lazy.Tensor) *lazy.Tensor) {
		require.NoError(t, tr.MarkStep(steps(n, ones(tr, 3), f)))
	}
	step(2, (*lazy.Tensor).Exp)
	step(4, (*lazy.Tensor).Exp)
	step(3, (*lazy.Tensor).Exp)
	step(4, (*lazy.Tensor).Sin)
	all := tr.Explain()
	require.Len(t, all, 3)
	require.Equal(t, "for f32[3] with iterations = 4, was iterations = 2", all[0].What)
	require.Equal(t, "sin f32[3], was exp f32[3]", all[2].What)
	require.Equal(t, 1, all[2].Differ)
}

// The page of causes has the line that each prints.
func TestPageOfCauses(t *testing.T) {
	const page = "../docs/explain.md"
	var kinds, lines strings.Builder
	kinds.WriteString("| kind | a program is of it when |\n|---|---|\n")
	for _, row := range explain.Kinds[1:] {
		fmt.Fprintf(&kinds, "| %s | %s |\n", row.Name, row.Cause)
	}
	lines.WriteString("| kind | case | the line |\n|---|---|---|\n")
	for i := range allCauses {
		x := &allCauses[i]
		fmt.Fprintf(&lines, "| %v | %s | %s |\n", x.kind, x.name, printed(x.explained(t)))
	}
	old, err := os.ReadFile(page)
	require.NoError(t, err)
	text := string(old)
	for _, table := range []string{kinds.String(), lines.String()} {
		head, _, _ := strings.Cut(table, "\n")
		begin := strings.Index(text, head)
		require.Positive(t, begin, head)
		end := begin + strings.Index(text[begin:]+"\n", "\n\n") + 1 // the table may end the page
		text = text[:begin] + table + text[end:]
	}
	golden.Is(t, page, text)
}

var testLine = regexp.MustCompile(`explain_test\.go:(\d+)`)

// printed returns the reason as the page has it: lines are those of a train.go, in the order
// in which they stand.
func printed(e lazy.Explanation) string {
	_, text, _ := strings.Cut(e.String(), "), ")
	_, text, _ = strings.Cut(text, ": ")
	opened := regexp.MustCompile(`helpers_test\.go:\d+`)
	text = opened.ReplaceAllString(text, "main.go:9")
	lines := testLine.FindAllString(text, -1)
	slices.Sort(lines) // all have three figures
	lines = slices.Compact(lines)
	return testLine.ReplaceAllStringFunc(text, func(line string) string {
		return fmt.Sprintf("train.go:%d", 11+slices.Index(lines, line))
	})
}

// A number that another op has, too, is no op that is new or gone: equal constants of a program are one.
func TestReasonsOfNumbersThatAreShared(t *testing.T) {
	for _, c := range []struct {
		values  []float64
		options []lazy.Option
		want    string
	}{
		{[]float64{0, 1}, nil, `^explain_test\.go:\d+: the number 0\.0, now another; nothing to change: numbers of this line are arguments`},
		{[]float64{0, 1}, []lazy.Option{lazy.NumbersAsConstants()}, `^explain_test\.go:\d+: the constant 1\.0, was 0\.0; make the number an argument`},
		{[]float64{1, 0}, []lazy.Option{lazy.NumbersAsConstants()}, `^explain_test\.go:\d+: the constant 0\.0, was 1\.0; make the number an argument`},
	} {
		tr := lazy.NewTrace(open(t, "eval", c.options...))
		for _, v := range c.values {
			require.NoError(t, tr.MarkStep(lazy.From(tr, sequence(4), 4).ReLU().AddScalar(v).Sum()))
		}
		all := tr.Report().Compiles
		require.Len(t, all, 2)
		require.Regexp(t, c.want, all[1].Reason)
	}
}

// Where a line has had several sizes, a program that differs in something else is compared with what was
// recorded for its own.
func TestCausesBesideOpenSizes(t *testing.T) {
	last := func(yes bool, a, b int) int {
		if yes {
			return a
		}
		return b
	}
	for name, c := range map[string]struct {
		step func(x *lazy.Tensor, last bool) *lazy.Tensor
		kind explain.Kind
		what string
	}{
		"axis": {func(x *lazy.Tensor, yes bool) *lazy.Tensor { return x.Exp().Sum(last(yes, 1, 0)) }, explain.Attribute, "with axes = [1], was axes = [0]"},
		"dtype": {func(x *lazy.Tensor, yes bool) *lazy.Tensor {
			return x.Convert([]types.DType{lazy.F16, lazy.BF16}[last(yes, 1, 0)]).Exp()
		}, explain.DType, ", was f16["},
		"op": {func(x *lazy.Tensor, yes bool) *lazy.Tensor {
			if yes {
				return x.Sin()
			}
			return x.Cos()
		}, explain.OtherOp, "sin"},
		"constant": {func(x *lazy.Tensor, yes bool) *lazy.Tensor {
			return x.Mul(lazy.Const(x.Trace(), lazy.F32, float64(last(yes, 2, 1))))
		}, explain.Constant, "2"},
	} {
		for _, sizes := range [][]int{{8, 5, 8}, {8, 5, 7}, {8, 5, 5}} {
			if c.kind == explain.Constant && sizes[2] == 7 {
				continue // the constant may follow from the size, as 1, 1 and 2 do from 8, 5 and 7
			}
			t.Run(fmt.Sprint(name, sizes), func(t *testing.T) {
				dev := open(t, "cpu")
				tr := lazy.NewTrace(dev)
				for i, n := range sizes {
					x := lazy.From(tr, make([]float32, n*4), n, 4)
					require.NoError(t, tr.MarkStep(c.step(x, i == len(sizes)-1)))
				}
				all := tr.Explain()
				e := all[len(all)-1]
				require.Equal(t, c.kind, e.Kind, "%v", e)
				require.Contains(t, e.What, c.what)
				require.NotContains(t, e.Do, "pad axis")
			})
		}
	}
}

// A second size beside sizes that follow from data is named as a second size is, and not by the
// attributes of ops that have the count.
func TestCausesBesideSizesOfData(t *testing.T) {
	for name, c := range map[string]struct {
		step func(x *lazy.Tensor) *lazy.Tensor
		was  string
	}{
		"selected rows":   {func(x *lazy.Tensor) *lazy.Tensor { return x.SelectRows(x.Sum(1).GreaterScalar(0)).Sum() }, "was f32[20,4]"},
		"masked elements": {func(x *lazy.Tensor) *lazy.Tensor { return x.MaskedSelect(x.GreaterScalar(0)).Sum() }, "was f32[20,4]"},
		"nonzero":         {func(x *lazy.Tensor) *lazy.Tensor { return x.Nonzero().Sum() }, "was i32[81]"}, // elements and one
	} {
		t.Run(name, func(t *testing.T) {
			tr := lazy.NewTrace(open(t, "cpu"))
			for n := 20; n < 25; n++ {
				require.NoError(t, tr.MarkStep(c.step(lazy.From(tr, sequence(4*n), n, 4))))
			}
			all := tr.Explain()
			require.Len(t, all, 1, "after the first compile")
			require.Equal(t, explain.Shape, all[0].Kind, "%v", all[0])
			require.Contains(t, all[0].What, c.was)
		})
	}
}

// Sizes and numbers that a program has in ops, loops and other ops' constants are named as such, and leave
// nothing to do.
func TestCausesOfSizesAndNumbersWithin(t *testing.T) {
	vector := func(tr *lazy.Trace, n int) *lazy.Tensor { return lazy.From(tr, sequence(n), n) }
	const sizes, number = "nothing: this program is for all sizes", "nothing to change: numbers of this line"
	type want struct {
		kind     explain.Kind
		what, do string
	}
	for name, c := range map[string]struct {
		step func(tr *lazy.Trace, i int) *lazy.Tensor
		runs int
		want []want // of the compiles after the first
	}{
		"a size computed from another": {func(tr *lazy.Trace, i int) *lazy.Tensor {
			n := 5 + i
			return vector(tr, n).Narrow(0, 0, (n+1)/2).Exp()
		}, 3, []want{
			{explain.Shape, "parameter f32[n], was f32[5]", sizes},
			{explain.Shape, "limits = [floor((n + 1) / 2)], was limits = [3]", sizes},
		}},
		"a size of data as a number": {func(tr *lazy.Trace, i int) *lazy.Tensor {
			x := vector(tr, 5+i)
			return x.MaskedSelect(x.GreaterScalar(1)).Size(0)
		}, 2, []want{{explain.Shape, "parameter f32[n], was f32[5]", sizes}}},
		"a number in a loop": {func(tr *lazy.Trace, i int) *lazy.Tensor {
			return steps(2, vector(tr, 4), func(s *lazy.Tensor) *lazy.Tensor { return s.MulScalar(float64(i + 2)) })
		}, 4, []want{
			{explain.Constant, "the constant 3.0, was 2.0", "nothing for a number of an op: the third value makes it an argument"},
			{explain.Number, "the number 3.0, now another", number},
		}},
		"numbers that begin as one": {func(tr *lazy.Trace, i int) *lazy.Tensor {
			return vector(tr, 4).MulScalar(float64(i)).AddScalar(float64(2 * i))
		}, 3, []want{{explain.Number, "the number 0.0, now another", number}}},
		"a second axis of size 0": {func(tr *lazy.Trace, i int) *lazy.Tensor {
			n := [][]int{{5, 3}, {6, 4}, {7, 0}}[i]
			return lazy.From(tr, sequence(n[0]*n[1]), n[0], n[1]).Exp()
		}, 3, []want{
			{explain.Shape, "was f32[5,3]", sizes},
			{explain.Shape, "parameter f32[7,0], was f32[n,n1]", "skip steps that have no elements"},
		}},
		"a size and a number": {func(tr *lazy.Trace, i int) *lazy.Tensor {
			return vector(tr, 5+i).MulScalar(0.5 * float64(i+1))
		}, 5, []want{
			{explain.Shape, "parameter f32[6], was f32[5]", "nothing: a number of an op has become an argument in the same step"},
			{explain.Shape, "parameter f32[n], was f32[6]", sizes},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			tr := lazy.NewTrace(open(t, "cpu"))
			for i := range c.runs {
				require.NoError(t, tr.MarkStep(c.step(tr, i)))
			}
			all := tr.Explain()
			require.Len(t, all, len(c.want), "%v", all)
			for i, w := range c.want {
				require.Equal(t, w.kind, all[i].Kind, "%v", all[i])
				require.Contains(t, all[i].What, w.what)
				require.Contains(t, all[i].Do, w.do)
			}
		})
	}
}
