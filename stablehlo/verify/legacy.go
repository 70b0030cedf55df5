package verify

import (
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/stablehlo"
)

// The ops of the dialect that the specification does not treat; their rules
// are those that the ops' descriptions imply, and have no labels.

// verifyCrossReplicaSum checks a sum over replicas.
func verifyCrossReplicaSum(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	if !v.sameTensor(ins[0], outs[0]) {
		v.stop(op, "", "the operand is %s but the result is %s", ins[0], outs[0])
	}
	v.infer(outs[0], ins[0].Shape)
	if a, ok := op.Attrs.Get("replica_groups").(mlir.StructAttr); ok {
		v.missing(op, "replica_groups", "dense<…> with integers", a)
	}
	v.groups(op, "", "", true)
}

// verifyEinsum checks einsum and unary_einsum: ab,bc->ac, one letter a
// dimension.
func verifyEinsum(v *verifier, op *mlir.Op) {
	n := 2
	if op.Code == stablehlo.UnaryEinsum {
		n = 1
	}
	in := tensors(kTensor, kTensor)[:n]
	ins, outs := v.takes(op, in, tensors(kTensor))
	config, isText := op.Attrs.Get("einsum_config").(mlir.StringAttr)
	from, to, ok := einsumTerms(string(config))
	if !isText || !ok || len(from) != n {
		v.missing(op, "einsum_config", "a string such as ab,bc->ac", op.Attrs.Get("einsum_config"))
	}
	size := map[byte]int64{}
	for i, t := range ins {
		if len(from[i]) != len(t.Shape) {
			v.stop(op, "", "%q names %s, but operand %d is %s", from[i], diag.Count(len(from[i]), "dimension"), i, t)
		}
		for k := range len(from[i]) {
			letter := from[i][k]
			d, seen := size[letter]
			if seen && !v.sameDim(d, t.Shape[k]) {
				v.stop(op, "", "dimension %c is %d and %d", letter, d, t.Shape[k])
			}
			if !seen || d == mlir.Dynamic {
				size[letter] = t.Shape[k]
			}
		}
	}
	shape := make([]int64, len(to))
	for i := range len(to) {
		d, ok := size[to[i]]
		if !ok {
			v.stop(op, "", "dimension %c of the result is in no operand", to[i])
		}
		shape[i] = d
	}
	v.result(op, "", outs[0], shape)
}

// einsumTerms splits ab,bc->ac. Texts with … broadcast, and are not read.
func einsumTerms(config string) (from []string, to string, ok bool) {
	terms, to, ok := strings.Cut(config, "->")
	from = strings.Split(terms, ",")
	other := func(c rune) bool { return c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') }
	return from, to, ok && !slices.ContainsFunc(append(from, to), func(t string) bool { return strings.ContainsFunc(t, other) })
}

// verifyTorchIndexSelect checks a selection of slices along dim, for each of
// the batch dimensions.
func verifyTorchIndexSelect(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	v.sameElem(op, "", ins[0], outs[0])
	var dim, batch int64
	v.all(func() { dim = v.int(op, "", "dim", 0) }, func() { batch = v.int(op, "", "batch_dims", 0) })
	v.within(op, "", "dim", []int64{dim}, len(ins[0].Shape))
	if batch > dim || batch > int64(len(ins[1].Shape)) {
		v.stop(op, "", "batch_dims is %d, but should be at most dim, %d, and the dimensions of %s", batch, dim, ins[1])
	}
	v.result(op, "", outs[0], slices.Concat(ins[0].Shape[:dim], ins[1].Shape[batch:], ins[0].Shape[dim+1:]))
}
