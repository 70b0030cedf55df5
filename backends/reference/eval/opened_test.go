package eval

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/backendtest"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// opening is the evaluator, but it gets programs with the sizes taken out:
// those of main's arguments and of every result that a rule tells the shape of.
type opening struct {
	*Backend
	opened map[string]bool // ops that have run so
}

func (b *opening) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	exe, err := b.Backend.Compile(ctx, m, o)
	if err != nil {
		return nil, err
	}
	tree, err := stablehlo.Parse("m.mlir", m.Text())
	if err != nil || !takeOut(tree) {
		return exe, nil
	}
	text := mlir.Print(tree)
	if tree, err = stablehlo.Parse("m.mlir", text); err != nil || verify.Module(tree) != nil {
		return exe, nil // an op that must have static types
	}
	if _, _, err := backends.ReadOpenSignature(tree); err != nil {
		return exe, nil // a donated argument whose type is another now
	}
	open, err := b.Backend.Compile(ctx, backends.NewModule(text), o)
	if err != nil {
		return nil, err
	}
	tree.Walk(func(op *mlir.Op) bool {
		for _, r := range op.Results {
			if openType(r.Type) {
				b.opened[strings.TrimPrefix(op.Name(), "stablehlo.")] = true
			}
		}
		return true
	})
	return opened{open, exe.Signature()}, nil
}

// opened has the signature of the program as it was.
type opened struct {
	backends.Executable
	sig *backends.Signature
}

func (e opened) Signature() *backends.Signature { return e.sig }

// Execute refuses the arguments that the program as it was would.
func (e opened) Execute(ctx context.Context, c *backends.Call) error {
	if err := backends.CheckCall(e.sig, c, nil); err != nil {
		return err
	}
	return e.Executable.Execute(ctx, c)
}

// takeOut takes sizes out of main if it is the only function and calls for
// them; it reports whether it did.
func takeOut(m *mlir.Module) bool {
	fn := m.Func("main")
	if fn == nil || len(m.Ops) != 1 || fn.Body() == nil {
		return false
	}
	found := false
	open := func(v *mlir.Value) {
		t, ok := v.Type.(*mlir.TensorType)
		if ok && len(t.Shape) > 0 && t.Encoding == nil {
			v.Type = mlir.Tensor(t.Elem, slices.Repeat([]int64{mlir.Dynamic}, len(t.Shape))...)
			found = true
		}
	}
	ft := *fn.FuncType()
	ft.Ins, ft.Outs = slices.Clone(ft.Ins), slices.Clone(ft.Outs)
	body := fn.Body()
	for i, a := range body.Args {
		open(a)
		ft.Ins[i] = a.Type
	}
	for _, op := range body.Ops {
		row := opTable[op.Code]
		if row.prepare != nil && row.unshaped == "" && static(op) == nil && op.Code != stablehlo.Reshape {
			for _, r := range op.Results {
				open(r)
			}
		}
	}
	for i, v := range body.Ops[len(body.Ops)-1].Operands {
		ft.Outs[i] = v.Type
	}
	fn.Attrs.Set("function_type", mlir.TypeAttr{Type: &ft})
	return found
}

// Programs compute the same when the text leaves their sizes open.
func TestOpenedPrograms(t *testing.T) {
	b := &opening{New(), map[string]bool{}}
	backendtest.Run(t, func(string) (backends.Backend, error) { return b, nil })
	for code := range mlir.Codes() {
		row, name := opTable[code], strings.TrimPrefix(code.String(), "stablehlo.")
		if row.prepare != nil && row.unshaped == "" && code.Info().Static == nil && name != code.String() {
			require.True(t, b.opened[name] || notOpened[name] != "", "no program has run with results of %s left open", name)
		}
	}
}

// notOpened are the ops that no program of the suite has with results of open sizes.
var notOpened = map[string]string{
	"reshape":    "its operand tells one size alone, and all are taken out",
	"all_reduce": severalProcesses, "all_to_all": severalProcesses, "collective_broadcast": severalProcesses, "collective_reduce": severalProcesses,
}

const severalProcesses = "the suite's programs run in one process"
