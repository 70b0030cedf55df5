package exec_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/exec"
	"ltc/soa"
)

// code is a target's code.
type code struct{ exec.Executable[*code] }

func (*code) Direct(context.Context) bool               { return true }
func (*code) Run(context.Context, *backends.Call) error { return nil }

func (*code) Artifact() ([]byte, error) { return nil, errors.ErrUnsupported }
func (*code) Bind(context.Context, map[int]soa.View) (backends.Executable, error) {
	return nil, errors.ErrUnsupported
}

// A target that forgets a field hears of it when it compiles, and not by a nil pointer in a run.
func TestPlansThatLackAField(t *testing.T) {
	p := program(t, `func.func public @main(%a: tensor<i1>) -> tensor<i1> {
  %0 = "stablehlo.if"(%a) ({
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
    stablehlo.return %a : tensor<i1>
  }) : (tensor<i1>) -> tensor<i1>
  return %0 : tensor<i1>
}`)
	all := exec.Plan{Program: p, On: new(exec.Machine), Rules: exec.NewResults(p, -1, false), Copied: new(atomic.Int64)}
	var err error
	var inner *code
	all.Regions, err = exec.MakeRegions(p, func(s, r int) (backends.Executable, error) {
		inner = new(code)
		inner.Plan = all
		inner.Rules = exec.NewResults(p.Steps[s].Regions()[r], -1, false)
		return inner, nil
	})
	require.NoError(t, err)
	require.True(t, inner.Rules.Region, "MakeRegions says that it is a region")
	for want, forget := range map[string]func(*exec.Plan){
		"exec: Vary: Plan.Program is nil: set the program that kit.Compile returned":                       func(p *exec.Plan) { p.Program = nil },
		"exec: Vary: Plan.On is nil: set a Machine; the zero Machine is the host":                          func(p *exec.Plan) { p.On = nil },
		"exec: Vary: Plan.Rules is nil: set what NewResults returns":                                       func(p *exec.Plan) { p.Rules = nil },
		"exec: Vary: Plan.Copied is nil: set a counter, new(atomic.Int64)":                                 func(p *exec.Plan) { p.Copied = nil },
		"exec: Vary: Plan.Regions lacks the executables of a loop or branch: set what MakeRegions returns": func(p *exec.Plan) { p.Regions = nil },
	} {
		e := &code{}
		e.Plan = all
		forget(&e.Plan)
		require.PanicsWithValue(t, want, func() { e.Vary(e, exec.VariantOptions[*code]{}) })
	}
	e := &code{}
	e.Plan = all
	require.ErrorContains(t, e.Execute(t.Context(), &backends.Call{}), "has not called Vary")
}
