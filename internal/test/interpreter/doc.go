// Package interpreter adds to the evaluator the ops of StableHLO's own interpreter, which
// run functions as processes and watch values, and what processes exchange: collectives,
// channels, the infeed. Programs of the dialect's tests need it; import it for its side
// effect. Its central types are processGrid, whose processes are goroutines, and
// [Probes].
//
// The package imports only ltc/backends/reference/eval, ltc/internal/stridedcopy, ltc/mlir,
// ltc/soa, ltc/stablehlo and ltc/internal/diag.
package interpreter

import (
	"fmt"

	"ltc/backends/reference/eval"
	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/stablehlo"
)

func init() {
	for op, e := range map[mlir.Code]eval.Extension{
		stablehlo.AllGather:               allGather,
		stablehlo.AllReduce:               allReduce,
		stablehlo.AllToAll:                allToAll,
		stablehlo.CheckExpectSerializedEq: expectSerialized,
		stablehlo.CollectiveBroadcast:     collectiveBroadcast,
		stablehlo.CollectivePermute:       collectivePermute,
		stablehlo.CollectiveReduce:        collectiveReduce,
		stablehlo.CrossReplicaSum:         allReduce,
		stablehlo.Infeed:                  infeed,
		stablehlo.InterpreterPrint:        printed,
		stablehlo.InterpreterProbe:        probed,
		stablehlo.InterpreterRunParallel:  runParallel,
		stablehlo.Outfeed:                 outfeed,
		stablehlo.PartitionID:             processID,
		stablehlo.Recv:                    recv,
		stablehlo.ReduceScatter:           reduceScatter,
		stablehlo.ReplicaID:               processID,
		stablehlo.Send:                    send,
	} {
		eval.Extend(op, e)
	}
}

// arity checks how many operands and results an op has.
func arity(s *eval.Site, in, out int) error {
	if len(s.In) != in || len(s.Out) != out {
		return fmt.Errorf("%s and %s, want %d and %d", diag.Count(len(s.In), "operand"), diag.Count(len(s.Out), "result"), in, out)
	}
	return nil
}

// number returns an integer attribute, or otherwise if it is missing.
func number(d mlir.Dict, name string, otherwise int) (int, error) {
	a := d.Get(name)
	if a == nil {
		return otherwise, nil
	}
	n, ok := mlir.Int(a)
	if !ok {
		return 0, fmt.Errorf("attribute %s: want an integer, got %v", name, a)
	}
	return int(n), nil
}

func text(a mlir.Attribute) string {
	s, _ := a.(mlir.StringAttr)
	return string(s)
}

// handle returns the number of the op's channel; 0 if it has none.
func handle(op *mlir.Op) (int, error) {
	switch a := op.Attrs.Get("channel_handle").(type) {
	case nil:
		return 0, nil
	case mlir.StructAttr:
		return number(a.Fields, "handle", 0)
	default:
		return 0, fmt.Errorf("attribute channel_handle: want a structure, got %v", a)
	}
}

// firstOf returns the first of errs that is not nil.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
