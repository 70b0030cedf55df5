package lazy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/lazy/internal/guard"
	"ltc/lazy/internal/programs"
	"ltc/lower"
	"ltc/soa"
)

var (
	// ErrIndex: an index or a label chooses what does not exist; see [CheckIndices].
	ErrIndex = guard.ErrIndex
	// ErrNaN: an op made a NaN or an infinity out of finite values; see [CheckNaNs].
	ErrNaN = guard.ErrNaN
)

// CheckIndices says whether a step fails if an index of Gather or ScatterAdd, a class of
// OneHot or a label of CrossEntropy does not exist. The environment variable LTC_CHECK
// switches it on; false switches it off again. Indices that the program computes are
// computed once more before each run, and nothing has been written when a step fails so.
func CheckIndices(on bool) Option { return func(d *Device) { d.checkIndices = on } }

// CheckNaNs stops at the first op that makes a NaN or an infinity out of finite values,
// with an error that names its line, as the environment variable LTC_CHECK_NANS does.
// Before each run of a program its ops run one by one: slow. What the program computes is
// what it computes without, and nothing has been written when a step fails so.
func CheckNaNs(on bool) Option { return func(d *Device) { d.checkNaNs = on } }

// guarded reports whether runs of g are looked at beforehand, so that its lines matter.
func (d *Device) guarded(g *ir.Graph) bool {
	return d.checkNaNs || d.checkIndices && guard.Indexed(g)
}

// quietly are the options of programs that only look at another, which has said what is
// to be said.
func (d *Device) quietly() backends.Options {
	o := d.options
	o.Compiled, o.Profile, o.Warn = false, false, func(*backends.FallbackError) {}
	return o
}

// looker is a device as guards of its programs know it.
type looker struct{ *Device }

func (d looker) Part(ctx context.Context, g *ir.Graph) (programs.Runner, error) {
	return d.compile(ctx, g, lower.Text(g, true), d.quietly())
}

func (d looker) RunAlone(ctx context.Context, n *ir.Node, c *backends.Call, value func(*ir.Node) soa.View) error {
	one, err := d.alone(ctx, n)
	if err != nil {
		return aloneError(n, "compile alone", err)
	}
	for _, x := range one.args {
		c.Args = append(c.Args, value(x))
	}
	if err := one.exec.Execute(ctx, c); err != nil {
		return aloneError(n, "run alone", err)
	}
	return nil
}

// HasNaN warns of an argument that has NaNs, once for each line.
func (d looker) HasNaN(p *ir.Node, first string) {
	if d.nanArguments.first(argumentLine{p.Loc, p.ParamName()}) {
		d.log(slog.LevelWarn, fmt.Sprintf("argument %s has NaNs", strings.TrimSpace(p.ParamName()+" "+p.Type.String())),
			slog.String("at", p.Loc.String()), slog.String("first", first),
			slog.String("do", "look at what the argument is made of: the ops of this program did not make these NaNs"))
	}
}

// argumentLine is an argument of a program and the line that recorded it.
type argumentLine struct {
	at   callsite.Site
	name string
}

// faultError makes the error of a fault that a guard has found.
func faultError(err error) error {
	f, ok := errors.AsType[*guard.Fault](err)
	if !ok {
		return err
	}
	e := nodeError(f.Node, f.Kind, f.Reason)
	if f.Op != "" {
		e.Op = f.Op
	}
	if f.Operands != nil {
		e.Operands = f.Operands
	}
	return e
}
