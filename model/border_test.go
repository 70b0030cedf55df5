package model_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/border"
	"ltc/model"
	"ltc/soa"
)

// faultyBackend is the evaluator, which panics in one method.
type faultyBackend struct {
	backends.Backend
	method string
}

type faultyExecutable struct {
	backends.Executable
	r *faultyBackend
}

func (r *faultyBackend) panics(method string) {
	if r.method == method {
		panic("mine")
	}
}

func (r *faultyBackend) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	r.panics("Compile")
	e, err := r.Backend.Compile(ctx, m, o)
	return faultyExecutable{e, r}, err
}

func (x faultyExecutable) Signature() *backends.Signature {
	x.r.panics("Signature")
	sig := *x.Executable.Signature()
	switch x.r.method {
	case "alias":
		sig.Args = append([]backends.Arg(nil), sig.Args...)
		sig.Args[0].Alias = 7
	case "none":
		return nil
	}
	return &sig
}

func (x faultyExecutable) Bind(ctx context.Context, c map[int]soa.View) (backends.Executable, error) {
	x.r.panics("Bind")
	e, err := x.Executable.Bind(ctx, c)
	return faultyExecutable{e, x.r}, err
}

func (x faultyExecutable) CheckSizes(*backends.Call) error {
	x.r.panics("CheckSizes")
	return nil
}

func (x faultyExecutable) CopiedBytes() int64 {
	x.r.panics("CopiedBytes")
	return 0
}

func (x faultyExecutable) Variants() (int, int) {
	x.r.panics("Variants")
	return 0, 0
}

func (x faultyExecutable) Execute(ctx context.Context, c *backends.Call) error {
	x.r.panics("Execute")
	err := x.Executable.Execute(ctx, c)
	if x.r.method == "elsewhere" {
		c.Results[0] = soa.Make(c.Results[0].Type)
	}
	return err
}

// What a backend does against its contract is an error of the model that names it.
func TestModelsOfBackendsThatBreakTheirContract(t *testing.T) {
	const text = `func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}`
	eval, err := backends.Open("eval")
	require.NoError(t, err)
	for method, want := range map[string]string{
		"Compile": "panicked in Compile: mine", "Signature": "panicked in Signature: mine", "Bind": "panicked in Bind: mine",
		"CheckSizes": "panicked in CheckSizes: mine", "Execute": "panicked in Execute: mine",
		"alias": "argument 0 is donated to result 7", "none": "it gave none",
		"elsewhere":   "result 0 is not in the memory that the call has for it",
		"CopiedBytes": "", "Variants": "", "": "",
	} {
		t.Run(method, func(t *testing.T) {
			err := func() error {
				m, err := model.New(t.Context(), &faultyBackend{eval, method}, backends.NewModule(text), nil)
				if err != nil {
					return err
				}
				m.CopiedBytes()
				m.Variants()
				in, out := soa.NewCollection(4), soa.NewCollection(4)
				require.NoError(t, in.Add("x", soa.ColumnOf("x", []float32{1, 2, 3, 4})))
				require.NoError(t, out.Add("y", soa.ColumnOf("y", make([]float32, 4))))
				return m.Bind(in, out).Run(t.Context(), nil, 0)
			}()
			if want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, "backend eval")
		})
	}
	b := border.Of(eval, "mine")
	require.Equal(t, "eval", b.Name())
}
