package kit

import (
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// cholesky adds a node for a factor of Cholesky, if the target claims it.
func (t *translator) cholesky(op *mlir.Op) error {
	return t.triangular(op, kernel.Triangular{Lower: stablehlo.AsCholesky(op).Lower()})
}

// triangularSolve adds a node for a triangular system, if the target claims it.
func (t *translator) triangularSolve(op *mlir.Op) error {
	of := stablehlo.AsTriangularSolve(op)
	return t.triangular(op, kernel.Triangular{
		Solve: true, Lower: of.Lower(), Left: of.LeftSide(), Unit: of.UnitDiagonal(),
		Transposed: of.TransposeA() != "NO_TRANSPOSE", // of reals an adjoint is that
	})
}

// triangular adds a node for what a target may have code for.
func (t *translator) triangular(op *mlir.Op, of kernel.Triangular) error {
	if carries(op) {
		return leave("elements that kernels do not have")
	}
	w := &plan.Triangular{}
	for _, v := range op.Operands {
		w.Args = append(w.Args, plan.HostArg{Value: plan.None, Type: t.graph.Type(t.values[v])})
	}
	out, err := typeOf(op.Results[0])
	if err != nil {
		return leave("%v", err)
	}
	w.Outs = []plan.HostArg{{Value: plan.None, Type: out}}
	w.Triangular = plan.TriangularOf(of, out)
	work, ok := t.o.claim(w)
	if !ok {
		return leave("there is no kernel for it")
	}
	t.step(op, triangularStep{w}, t.of(op.Operands), append([]types.Type{out}, work...), false)
	return nil
}

// triangularStep is a factor or a system that the target has claimed.
type triangularStep struct{ of *plan.Triangular }

func (s triangularStep) String() string { return s.of.Triangular.String() }

func (s triangularStep) Work(reads, writes []plan.HostArg) (plan.Work, error) {
	w := *s.of
	w.Args, w.Outs, w.Work = reads, writes[:1], plan.ValuesOf(writes[1:])
	return &w, nil
}
