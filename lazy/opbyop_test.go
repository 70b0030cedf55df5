package lazy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/lazy"
	"ltc/mlir"
	"ltc/soa"
)

// wrong is the evaluator with an error: a product has a first element that is 1
// too large. It cannot compile sin, and fails to run cos.
type wrong struct{ backends.Backend }

func openWrong(t *testing.T, opts ...lazy.Option) *lazy.Device {
	t.Helper()
	b, err := backends.Open("eval")
	require.NoError(t, err)
	return openOn(t, wrong{b}, opts...)
}

func (w wrong) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	if strings.Contains(m.Text(), "stablehlo.sine") {
		return nil, fmt.Errorf("no sines here")
	}
	e, err := w.Backend.Compile(ctx, m, o)
	return wrongExecutable{e, m.Text()}, err
}

type wrongExecutable struct {
	backends.Executable
	text string
}

func (e wrongExecutable) Execute(ctx context.Context, c *backends.Call) error {
	if strings.Contains(e.text, "stablehlo.cosine") {
		return &backends.RunError{Op: 1, Reason: fmt.Errorf("no cosines here")}
	}
	err := e.Executable.Execute(ctx, c)
	if err == nil && strings.Contains(e.text, "stablehlo.multiply") {
		soa.Slice[float32](c.Results[0])[0]++
	}
	return err
}

// train runs some steps of a small model.
func trainSmall(t *testing.T, d *lazy.Device) (w []float32, loss []float64) {
	tr := lazy.NewTrace(d)
	v := d.Variable("w", lazy.F32, 3, 2).Init(lazy.Normal(0, 1))
	u := d.Variable("u", lazy.F32, 3, 2)
	lr := tr.Scalar("lr", 0.1)
	for i := range 4 {
		x := lazy.From(tr, []float32{1, 2, 3, 4, 5, float32(i)}, 2, 3)
		difference := x.MatMul(v).Softmax(-1).Sub(x.MatMul(u))
		y := difference.Mul(difference).Sum()
		g := lazy.Grad(y, v)
		v.Sub_(g[0].Mul(lr))
		// Two variables exchange their values: neither may be overwritten first.
		a, b := tr.Read(v), tr.Read(u)
		v.Assign(b)
		u.Assign(a)
		require.NoError(t, tr.MarkStep(y))
		loss = append(loss, y.Float())
	}
	return append(floats(t, v), floats(t, u)...), loss
}

// Each op compiled and run alone gives what the whole program gives, and ops of
// one kind are compiled once.
func TestOpsRunAloneGiveTheProgramsResult(t *testing.T) {
	wantW, wantLoss := trainSmall(t, open(t, "eval"))
	for name, opt := range map[string]lazy.Option{"option": lazy.OpByOp(), "environment": func(*lazy.Device) {}} {
		t.Run(name, func(t *testing.T) {
			if name == "environment" {
				t.Setenv("LTC_OPBYOP", "1")
			}
			w, loss := trainSmall(t, open(t, "eval", opt))
			require.Equal(t, wantW, w)
			require.Equal(t, wantLoss, loss)
		})
	}
}

func TestOpsOfOneKindAreCompiledOnce(t *testing.T) {
	d, c := openCounting(t, 0, lazy.OpByOp())
	tr := lazy.NewTrace(d)
	x := lazy.From(tr, []float32{1, 2})
	y := x
	for range 20 {
		y = y.Add(x).Mul(x)
	}
	require.NoError(t, tr.MarkStep(y))
	require.Equal(t, 3, int(c.compiles.Load()), "x+x, y+x and y*x")
	require.NoError(t, tr.MarkStep(x.Mul(x), x.Add(x).Add(x)))
	require.Equal(t, 4, int(c.compiles.Load()), "x*x, too")
}

// Two devices that run the same step differ first at the op that is wrong.
func TestDevicesDifferFirstAtTheWrongOp(t *testing.T) {
	run := func(open func(*testing.T, ...lazy.Option) *lazy.Device) (ops []lazy.NodeInfo, values [][]float32) {
		d := open(t, lazy.ObserveOps(func(r lazy.OpRun) {
			require.Len(t, ops, r.Index)
			dense := soa.Make(r.Result.Type)
			require.NoError(t, soa.Copy(dense, r.Result))
			ops = append(ops, r.Node)
			values = append(values, soa.Slice[float32](dense))
		}))
		tr := lazy.NewTrace(d)
		x := lazy.From(tr, []float32{1, 2})
		y := x.Add(x).Exp()
		z := y.Mul(x) // the wrong one
		require.NoError(t, tr.MarkStep(z.Sub(x).Mul(x)))
		require.NoError(t, tr.Wait(t.Context()))
		return ops, values
	}
	ops, right := run(func(t *testing.T, opts ...lazy.Option) *lazy.Device { return open(t, "eval", opts...) })
	_, wrong := run(openWrong)
	require.Len(t, wrong, len(right))
	first := 0
	for first < len(right) && fmt.Sprint(right[first]) == fmt.Sprint(wrong[first]) {
		first++
	}
	require.Equal(t, 2, first)
	require.Equal(t, "mul", ops[first].Op)
	require.Contains(t, ops[first].Site, "opbyop_test.go:")
}

// Failures name the line of the op, also of a kind that another line has used.
func TestOpsRunAloneFailWithTheirLine(t *testing.T) {
	d := openWrong(t, lazy.OpByOp())
	w := d.Variable("w", lazy.F32, 2)
	tr := lazy.NewTrace(d)
	x := lazy.From(tr, []float32{1, 2})
	var lines []int
	for i, f := range []func() *lazy.Tensor{
		func() *lazy.Tensor { return x.Add(x).Sin() },
		func() *lazy.Tensor { return x.Add(x).Add(x).Sin() },
		func() *lazy.Tensor { return x.Add(x).Cos() },
		func() *lazy.Tensor { return x.Add(x).Add(x).Cos() },
	} {
		w.Add_(x)
		err := tr.MarkStep(f())
		if err == nil {
			err = tr.Wait(t.Context())
		}
		var op *lazy.OpError
		require.ErrorAs(t, err, &op)
		require.Equal(t, "opbyop_test.go", op.File)
		lines = append(lines, op.Line)
		if i < 2 {
			require.Equal(t, "sin", op.Op)
			require.Contains(t, op.Reason, "no sines here")
		} else {
			require.Equal(t, "cos", op.Op)
			require.Contains(t, op.Reason, "no cosines here")
		}
		require.Equal(t, []float32{0, 0}, floats(t, w), "a failed step changes nothing")
	}
	require.Equal(t, []int{lines[0], lines[0] + 1, lines[0] + 2, lines[0] + 3}, lines)
}

// lacking is the evaluator without tanh.
type lacking struct{ backends.Backend }

func (l lacking) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	line := strings.Index(m.Text(), "stablehlo.tanh")
	if line < 0 {
		return l.Backend.Compile(ctx, m, o)
	}
	pos := mlir.Pos{Line: 1 + strings.Count(m.Text()[:line], "\n"), Col: line - strings.LastIndex(m.Text()[:line], "\n")}
	return nil, backends.Unsupported("lacking", o.Name, []backends.UnsupportedOp{{Op: "stablehlo.tanh", Pos: pos, Reason: "there is none"}})
}
