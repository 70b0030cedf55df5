package lazy_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/ir"
	"ltc/lazy"
	"ltc/mlir"
	"ltc/shapeinfer"
	"ltc/soa"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// calls is the evaluator, which remembers how many arguments and results each
// run had.
type calls struct {
	backends.Backend
	compiles      int
	args, results []int
}

func openCalls(t *testing.T) (*lazy.Device, *calls) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	c := &calls{Backend: b}
	return openOn(t, c, lazy.Threads(1)), c
}

func (c *calls) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	c.compiles++
	e, err := c.Backend.Compile(ctx, m, o)
	return callsExecutable{e, c}, err
}

type callsExecutable struct {
	backends.Executable
	c *calls
}

func (e callsExecutable) Execute(ctx context.Context, c *backends.Call) error {
	err := e.Executable.Execute(ctx, c)
	e.c.args, e.c.results = append(e.c.args, len(c.Args)), append(e.c.results, len(c.Results))
	return err
}

// The program is what its roots and assigned variables need: tensors that are
// held besides do not change it. Each mark-step counts, and ends the step's
// scopes and its nodes.
func TestLiveTensorsDoNotChangeTheProgram(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	var held []*lazy.Tensor
	for i := range 10 {
		x := lazy.From(tr, []float32{1, 2})
		y := x.AddScalar(1)
		for range i { // more live tensors in each step
			held = append(held, y.Exp(), x.Neg())
		}
		require.NoError(t, tr.MarkStep(y))
		require.Equal(t, []float32{2, 3}, floats(t, y))
	}
	require.Len(t, tr.Report().Compiles, 1)
	require.EqualValues(t, 10, counter(dev, "MarkStep"))
	for _, x := range held {
		_, err := x.Value()
		require.ErrorIs(t, err, lazy.ErrStale)
	}
}

// 100 steps: one compile, 99 from the cache.
func TestEqualStepsCompileOnce(t *testing.T) {
	for _, reuse := range []bool{true, false} {
		dev := open(t, "null")
		tr := lazy.NewTrace(dev)
		tr.Reuse(reuse)
		for range 100 {
			require.NoError(t, tr.MarkStep(lazy.From(tr, []float32{1}).Exp()))
		}
		require.EqualValues(t, 1, counter(dev, "UncachedCompile"))
		require.EqualValues(t, 99, counter(dev, "CachedCompile"))
	}
}

// Results are in the order of the roots, then the variables; the same data are
// one parameter; scalars have the types of their tensors.
func TestResultsAreInTheOrderOfRootsAndVariables(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2)
	x, n := lazy.From(tr, []float32{1, 2}).Named("x"), lazy.NewScalar(tr, "n", lazy.I64, 3)
	w.Add_(x)
	sum := x.Mul(x).Add(tr.Read(w)).Sum()
	require.NoError(t, tr.MarkStep(sum, n.Neg(), tr.Read(x).MulScalar(2)))
	main := regexp.MustCompile(`func\.func @main\((.*)\) -> \((.*)\) \{`).FindStringSubmatch(tr.StableHLO())
	require.NotNil(t, main, tr.StableHLO())
	types := regexp.MustCompile(`tensor<[^>]*>`)
	require.Equal(t, []string{"tensor<2xf32>", "tensor<2xf32>", "tensor<i64>"}, types.FindAllString(main[1], -1))
	require.Equal(t, []string{"tensor<f32>", "tensor<i64>", "tensor<2xf32>", "tensor<2xf32>"}, types.FindAllString(main[2], -1))
	require.Equal(t, 1, strings.Count(main[1], `ltc.name = "x"`))
	require.Equal(t, 1, strings.Count(main[1], "tf.aliasing_output = 3"))
}

// The text of a program is read and verified before anything runs it; an error
// names op and line.
func TestProgramTextIsVerifiedBeforeItRuns(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	require.NoError(t, tr.MarkStep(lazy.From(tr, []float32{1, 2}).Exp().Sum().Neg()))
	m, err := stablehlo.Parse("step.mlir", tr.StableHLO())
	require.NoError(t, err)
	require.NoError(t, verify.Module(m))
	again, err := stablehlo.Parse("again.mlir", m.String())
	require.NoError(t, err)
	require.Equal(t, m.String(), again.String())

	broken := strings.Replace(tr.StableHLO(), "stablehlo.exponential %arg0 : tensor<2xf32>", "stablehlo.exponential %arg0 : tensor<3xf32>", 1)
	require.NotEqual(t, tr.StableHLO(), broken)
	dev, err := backends.Open("eval")
	require.NoError(t, err)
	_, err = dev.Compile(background, backends.NewModule(broken), backends.Options{Name: "step.mlir"})
	require.Regexp(t, `^step\.mlir:\d+:\d+: error: `, err)
}

// No program has a loop, or an op that nothing lowers: a text that says so is not
// read, and a chain of any length is captured without recursion.
func TestGraphsHaveNoLoopsAndAnyDepth(t *testing.T) {
	trials.Sequential(t)
	const one = "%0 = constant {dtype = f32, value = 1.0} : f32[]"
	for body, want := range map[string]string{
		"%0 = neg %0 : f32[]\n  return %0":                     "x.ir:2:13: error: %0 is not defined before its use",
		"%0 = frobnicate : f32[]\n  return %0":                 `x.ir:2:8: error: unknown op "frobnicate"`,
		one + "\n  return %0, %3":                              "x.ir:3:15: error: %3 is not defined before its use",
		one + "\n  %1 = neg %0, %0 : f32[]\n  return %1":       "x.ir:3:",
		"%0, %1" + one[2:] + "\n  return %0":                   `x.ir:2:3: error: expected "%0 =" or "return"`,
		strings.Replace(one, "[]", "[2]", 1) + "\n  return %0": "constant: type is f32[2], the rule gives f32[]",
	} {
		g, err := ir.Parse("x.ir", "graph \"g\" {\n  "+body+"\n}\n")
		if err == nil {
			err = g.Verify(shapeinfer.Infer)
		}
		require.ErrorContains(t, err, want, body)
	}
	tr := lazy.NewTrace(open(t, "null"))
	x := lazy.From(tr, []float32{1})
	for range 90_000 {
		x = x.Neg().Exp()
	}
	_, err := tr.GraphHash(x)
	require.NoError(t, err)
}

// A program knows its parameters and results, with names and types.
func TestProgramsKnowParametersAndResults(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	require.Empty(t, tr.Parameters(), "nothing has run")
	require.Empty(t, tr.StableHLO())
	w := dev.Variable("w", lazy.F32, 2)
	x := lazy.From(tr, []float32{1, 2})
	loss := tr.Read(w).Mul(x).Sum()
	w.Sub_(x)
	require.NoError(t, tr.MarkStep(loss))
	var got []string
	for _, p := range tr.Parameters() {
		got = append(got, fmt.Sprint(p.Name, " ", p.Named, " ", p.Type, " -> ", p.Alias))
	}
	require.Equal(t, []string{"w true f32[2] -> 1", "arg1 false f32[2] -> -1"}, got)
	require.Equal(t, "f32[]", loss.Type().String())
}

// The lazy tensor core's example: tanh of a tensor of [1,5], which is live
// itself. There one compile is of one argument and two results, since what did
// not change is returned, too; here it has one.
func TestRootsThatHaveAValueAreNotReturnedAgain(t *testing.T) {
	dev, c := openCalls(t)
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float32{1, 2, 3, 4, 5}, 1, 5)
	y := x.Tanh()
	require.NoError(t, tr.MarkStep(x, y))
	require.Equal(t, 1, c.compiles)
	require.Equal(t, []int{1}, c.args)
	require.Equal(t, []int{1}, c.results)
	require.InDeltaSlice(t, []float32{0.7616, 0.9640, 0.9951, 0.9993, 0.9999}, floats(t, y), 1e-4)
	require.Equal(t, []float32{1, 2, 3, 4, 5}, floats(t, x))
	require.NotContains(t, tr.StableHLO(), "tf.aliasing_output")
}

// Memory of a value: its type is known before it is there, a new version of a
// variable does not change what was read, and a view knows its type.
func TestReadValuesNeverChange(t *testing.T) {
	dev, g := openGated(t)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, bigSize)
	old := value(t, w)
	y := tr.Read(w).AddScalar(1)
	require.NoError(t, tr.MarkStep(y))
	require.Contains(t, y.String(), "on its way")
	require.Equal(t, fmt.Sprintf("f32[%d]", bigSize), y.Type().String())
	g.pass(1, nil)
	require.Equal(t, y.Type(), value(t, y).Type)
	require.NotContains(t, y.String(), "on its way")
	require.Same(t, dev, y.Device())
	ones := make([]float32, bigSize)
	ones[0] = 1
	lazy.SetValues(w, ones)
	require.Equal(t, float32(1), first(t, w))
	require.Zero(t, soa.Slice[float32](old)[0])
	_, err := (&lazy.Tensor{}).Value()
	require.ErrorIs(t, err, lazy.ErrUsage)
}

// A step of gradient descent has the memory of the parameters once: each is the
// memory that its new version takes over.
func TestGradientDescentHasItsParametersOnce(t *testing.T) {
	dev := open(t, "cpu", lazy.Threads(1), lazy.MemoryCacheLimit(0))
	tr := lazy.NewTrace(dev)
	var params []*lazy.Tensor
	for i := range 4 {
		params = append(params, dev.Variable(fmt.Sprint("w", i), lazy.F32, mibs(4)...).Init(lazy.Constant(1)))
	}
	rate := tr.Scalar("rate", 0.5)
	soa.Collect()
	before := dev.MemoryStats()
	require.EqualValues(t, 16*mib, before.Live)
	for range 5 {
		for _, w := range params {
			g := tr.Read(w).MulScalar(2) // of the sum of squares
			w.Sub_(g.Mul(rate).MulScalar(0.5))
		}
		require.NoError(t, tr.MarkStep())
	}
	require.EqualValues(t, before.Peak, dev.MemoryStats().Peak, "no step takes more than there is")
	require.EqualValues(t, 16*mib, dev.MemoryStats().Live)
	require.Zero(t, tr.Report().DonationCopies)
	for i, p := range tr.Parameters()[1:] {
		if p.Name != "rate" {
			require.GreaterOrEqual(t, p.Alias, 0, "parameter %d", i)
		}
	}
	require.Equal(t, float32(1)/32, floats(t, params[3])[0])
}

// Ops that a backend lacks are not computed elsewhere in silence: the error
// lists all of them, with their lines.
func TestMissingOpsAreListedInOneError(t *testing.T) {
	eval, err := backends.Open("eval")
	require.NoError(t, err)
	tr := lazy.NewTrace(openOn(t, lackingMore{eval}))
	x := lazy.From(tr, []float32{1, 2}).Sin()
	_, _, line, _ := runtime.Caller(0)
	y := x.AddScalar(1).Tanh()
	err = tr.MarkStep(y)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, "cannot run 2 of the program's ops")
	require.ErrorContains(t, err, fmt.Sprintf("stablehlo.sine: there is none, recorded at rows_programs_test.go:%d\n", line-1))
	require.ErrorContains(t, err, fmt.Sprintf("stablehlo.tanh: there is none, recorded at rows_programs_test.go:%d\n", line+1))
	require.NoError(t, tr.MarkStep(lazy.From(tr, []float32{1}).Neg()), "the trace goes on")
}

// lackingMore is the evaluator without sine and tanh.
type lackingMore struct{ backends.Backend }

func (l lackingMore) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	var ops []backends.UnsupportedOp
	for i, line := range strings.Split(m.Text(), "\n") {
		for _, op := range []string{"stablehlo.sine", "stablehlo.tanh"} {
			if at := strings.Index(line, op); at >= 0 {
				pos := mlir.Pos{Line: i + 1, Col: at + 1}
				ops = append(ops, backends.UnsupportedOp{Op: op, Pos: pos, Line: line, Reason: "there is none"})
			}
		}
	}
	if err := backends.Unsupported("lacking", o.Name, ops); err != nil {
		return nil, err
	}
	return l.Backend.Compile(ctx, m, o)
}

// What is donated or assigned is in the text that the backend gets, of steps and
// of functions: the lazy tensor core has the flag, and sets up no alias.
func TestAliasesReachTheBackend(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2)
	w.Add_(lazy.From(tr, []float32{1, 2}))
	require.NoError(t, tr.MarkStep())
	require.Contains(t, tr.StableHLO(), "tf.aliasing_output = 0")
	require.Equal(t, 0, tr.Parameters()[0].Alias)
	require.Zero(t, tr.Report().DonationCopies)
	x := lazy.From(tr, []float32{1, 2}).Donate()
	require.NoError(t, tr.MarkStep(x.AddScalar(1)))
	require.Contains(t, tr.StableHLO(), "tf.aliasing_output = 0")
}
