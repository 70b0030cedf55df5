package verify

import (
	"fmt"
	"slices"

	"ltc/internal/diag"
	"ltc/internal/lexeme"
	"ltc/mlir"
)

// typedFFI is the api_version of custom calls whose backend_config is a
// dictionary; those before take a string.
const typedFFI = 4

func verifyCustomCall(v *verifier, op *mlir.Op) {
	target := attr[mlir.StringAttr](v, op, "call_target_name", "a string")
	v.values(op, true)
	v.config(op)
	v.layouts(op)
	v.bufferTarget(op, string(target))
	v.aliases(op)
}

func (v *verifier) config(op *mlir.Op) {
	version := int64(1)
	if a := op.Attrs.Get("api_version"); a != nil {
		n, ok := mlir.Int(a)
		if !ok || n < 0 || n > typedFFI {
			v.stop(op, "I5", "api_version is %s, but should be from 0 to %d", a, typedFFI)
		}
		version = n
	}
	switch a := op.Attrs.Get("backend_config").(type) {
	case nil:
	case mlir.DictAttr:
		if version != typedFFI {
			v.stop(op, "I4", "backend_config is a dictionary, but api_version %d takes a string", version)
		}
	case mlir.StringAttr:
		if version == typedFFI && a != "" {
			v.stop(op, "I4", "backend_config is a string, but api_version %d takes a dictionary", version)
		}
	default:
		v.missing(op, "backend_config", "a string or a dictionary", a)
	}
}

// layouts checks operand_layouts and result_layouts: both or none, a
// permutation of its dimensions for each value.
func (v *verifier) layouts(op *mlir.Op) {
	in, out := op.Attrs.Get("operand_layouts"), op.Attrs.Get("result_layouts")
	if in == nil && out == nil {
		return
	}
	if in == nil || out == nil {
		v.stop(op, "", "has only one of operand_layouts and result_layouts, but takes both or none")
	}
	results := mlir.TypesOf(op.Results)
	if len(results) == 1 { // a call that gives one tuple has layouts for its elements
		if t, ok := results[0].(mlir.TupleType); ok {
			results = t.Elems
		}
	}
	v.layout(op, "operand_layouts", in, mlir.TypesOf(op.Operands))
	v.layout(op, "result_layouts", out, results)
}

func (v *verifier) layout(op *mlir.Op, name string, a mlir.Attribute, types []mlir.Type) {
	list, ok := a.(mlir.ArrayAttr)
	if !ok || len(list) != len(types) {
		v.stop(op, "", "%s is %s, but should have %s", name, lexeme.Clip(a.String()), diag.Count(len(types), "entry"))
	}
	for i, e := range list {
		perm, ok := mlir.Ints(e)
		rank := 0
		switch t := types[i].(type) {
		case mlir.TupleType:
			v.stop(op, "", "entry %d of %s is for a tuple, which has no layout", i, name)
		case *mlir.TensorType:
			if t.Unranked {
				continue
			}
			rank = len(t.Shape)
		}
		if !ok || !isPermutation(perm, rank) {
			v.stop(op, "", "entry %d of %s is %s, but should be a permutation of the %s of %s", i, name, lexeme.Clip(e.String()), diag.Count(rank, "dimension"), types[i])
		}
	}
}

// bufferTarget checks the calls that make, fill and read buffers.
func (v *verifier) bufferTarget(op *mlir.Op, target string) {
	ins, outs := mlir.TypesOf(op.Operands), mlir.TypesOf(op.Results)
	one := len(outs) == 1
	good, want := true, ""
	switch target {
	case "CreateBuffer":
		good, want = len(ins) == 0 && one && isBuffer(outs[0]), "nothing and give a buffer"
	case "Pin":
		good, want = len(ins) == 1 && one && isTensor(ins[0]) && sameBuffer(ins[0], outs[0]), "a tensor and give a buffer like it"
	case "Unpin":
		good, want = len(ins) == 1 && one && isTensor(outs[0]) && sameBuffer(outs[0], ins[0]), "a buffer and give a tensor like it"
	}
	if !good {
		v.stop(op, "", "%s takes (%s) and gives (%s), but should take %s", target, joinTypes(ins), joinTypes(outs), want)
	}
}

// sameBuffer reports whether buffer is the memref type of the tensor's shape
// and elements.
func sameBuffer(tensor, buffer mlir.Type) bool {
	const t, m = len("tensor"), len("memref")
	a, b := tensor.String(), buffer.String()
	return isBuffer(buffer) && a[t:] == b[m:]
}

// aliases checks output_operand_aliases: what a pair names is there and of one
// type, and each buffer is in one pair, those among the results in every case.
func (v *verifier) aliases(op *mlir.Op) {
	list, ok := op.Attrs.Get("output_operand_aliases").(mlir.ArrayAttr)
	if a := op.Attrs.Get("output_operand_aliases"); a != nil && !ok {
		v.missing(op, "output_operand_aliases", "a list of #stablehlo.output_operand_alias<…>", a)
	}
	operands, results := map[string]bool{}, map[string]bool{}
	for _, e := range list {
		s, _ := e.(mlir.StructAttr)
		out, ok1 := mlir.Ints(s.Fields.Get("output_tuple_indices"))
		in, ok2 := mlir.Ints(s.Fields.Get("operand_tuple_indices"))
		i, ok3 := mlir.Int(s.Fields.Get("operand_index"))
		if s.Name != "stablehlo.output_operand_alias" || !ok1 || !ok2 || !ok3 {
			v.missing(op, "output_operand_aliases", "a list of #stablehlo.output_operand_alias<…>", e)
		}
		if i < 0 || i >= int64(len(op.Operands)) {
			v.stop(op, "I7", "operand_index %d of an alias is not in [0, %d)", i, len(op.Operands))
		}
		from, to := tuplePart(op.Operands[i].Type, in), tuplePart(resultTuple(op), out)
		if from == nil || to == nil {
			v.stop(op, "I7", "an alias of operand %d%s and result %s names what is not there", i, shapeText(in), shapeText(out))
		}
		if !mlir.SameType(from, to) {
			v.stop(op, "I7", "an alias is of %s and %s, but types should be the same", from, to)
		}
		if !isBuffer(from) {
			continue
		}
		a, b := fmt.Sprint(i, in), fmt.Sprint(out)
		if operands[a] || results[b] {
			v.stop(op, "I7", "a buffer, operand %d%s or result %s, is in several aliases", i, shapeText(in), shapeText(out))
		}
		operands[a], results[b] = true, true
	}
	v.buffersAliased(op, results)
}

// buffersAliased checks that each buffer among the results is one of the
// operands; only CreateBuffer and Pin make new ones.
func (v *verifier) buffersAliased(op *mlir.Op, aliased map[string]bool) {
	if t := op.Attrs.Get("call_target_name"); t == mlir.Attribute(mlir.StringAttr("CreateBuffer")) || t == mlir.Attribute(mlir.StringAttr("Pin")) {
		return
	}
	var visit func(t mlir.Type, at []int64)
	visit = func(t mlir.Type, at []int64) {
		if tuple, ok := t.(mlir.TupleType); ok {
			for i, e := range tuple.Elems {
				visit(e, append(slices.Clone(at), int64(i)))
			}
		} else if isBuffer(t) && !aliased[fmt.Sprint(at)] {
			v.stop(op, "I7", "result %s is a buffer, but in no alias", shapeText(at))
		}
	}
	visit(resultTuple(op), []int64{})
}

// resultTuple is what aliases of results index: the only result, or a tuple of
// all.
func resultTuple(op *mlir.Op) mlir.Type {
	if len(op.Results) == 1 {
		return op.Results[0].Type
	}
	return mlir.TupleType{Elems: mlir.TypesOf(op.Results)}
}

// tuplePart follows indices into nested tuples; nil if they lead nowhere.
func tuplePart(t mlir.Type, indices []int64) mlir.Type {
	for _, i := range indices {
		tuple, ok := t.(mlir.TupleType)
		if !ok || i < 0 || i >= int64(len(tuple.Elems)) {
			return nil
		}
		t = tuple.Elems[i]
	}
	return t
}
