package reference

import (
	"fmt"
	"strings"

	"ltc/mlir"
)

// A value that is no tensor exists only while a program is prepared. A tuple
// is the list of what it holds, tuples in it opened up as well; a future is
// what the op that it stands for gives; a token is a tensor of no bytes. So
// calls, loops and branches carry any of them as they carry tensors, and
// making a tuple or taking it apart costs nothing at run time.

// leaves returns the tensors and tokens that a value of type t is made of, or
// why the evaluator has no such values.
func leaves(t mlir.Type) ([]tensor, string) {
	switch t := t.(type) {
	case mlir.TupleType:
		var all []tensor
		for _, e := range t.Elems {
			ts, reason := leaves(e)
			if reason != "" {
				return nil, reason
			}
			all = append(all, ts...)
		}
		return all, ""
	case mlir.DialectType:
		if t.Text == "stablehlo.token" {
			return []tensor{{dt: token, n: 1}}, ""
		}
		if elems := content(t); elems != nil {
			return leaves(mlir.TupleType{Elems: elems})
		}
	}
	ts, reason := parseTensor(t)
	return []tensor{ts}, reason
}

// content returns the types of what a future stands for; nil for another type.
func content(t mlir.DialectType) []mlir.Type {
	inner, ok := strings.CutPrefix(t.Text, "stablehlo.future<")
	if !ok {
		return nil
	}
	return parseTypes(strings.TrimSuffix(inner, ">"))
}

// parseTypes reads a list of types, as the result types of a function.
func parseTypes(text string) []mlir.Type {
	m, err := mlir.Parse("", "func.func private @f() -> ("+text+")")
	if err != nil || len(m.Ops) != 1 {
		return []mlir.Type{mlir.DialectType{Text: text}}
	}
	return m.Ops[0].FuncType().Outs
}

// bound reports whether v has been given its slots.
func (b *builder) bound(v *mlir.Value) bool {
	_, one := b.slotOf[v]
	_, many := b.parts[v]
	return one || many
}

// bind says what v is made of.
func (b *builder) bind(v *mlir.Value, parts []operand) {
	if _, ok := v.Type.(*mlir.TensorType); ok && len(parts) == 1 {
		b.slotOf[v] = parts[0].slot
		return
	}
	b.parts[v] = parts
}

// read returns what a value that the current op uses is made of, or why the
// evaluator has no values of its type.
func (b *builder) read(v *mlir.Value) ([]operand, string) {
	if parts, ok := b.parts[v]; ok {
		for _, p := range parts {
			b.use(p.slot)
		}
		return parts, ""
	}
	t, reason := parseTensor(v.Type)
	s, known := b.slotOf[v]
	if !known { // of an op that was already found to be unsupported
		s = b.newSlot(slot{})
		b.slotOf[v] = s
	}
	b.use(s)
	return []operand{{t, s}}, reason
}

// bindResults gives the op's results the slots that its preparation made.
func (b *builder) bindResults(s *site) error {
	k := 0
	for i, r := range s.op.Results {
		ts, _ := leaves(r.Type)
		parts := make([]operand, len(ts))
		for j, t := range ts {
			if s.res[k] < 0 {
				return fmt.Errorf("result %d was not prepared", i)
			}
			parts[j] = operand{t, s.res[k]}
			k++
		}
		b.bind(r, parts)
	}
	return nil
}

// regionArgs gives the arguments of region r's block the given slots, and
// checks that they have the given types.
func (b *builder) regionArgs(bl *mlir.Block, r int, args []int, want []tensor) error {
	k := 0
	for i, a := range bl.Args {
		ts, reason := leaves(a.Type)
		if reason != "" || k+len(ts) > len(args) {
			return fmt.Errorf("argument %d of region %d, which takes %d, is %v", i, r, len(args), a.Type)
		}
		parts := make([]operand, len(ts))
		for j, t := range ts {
			if !t.equal(want[k]) {
				return fmt.Errorf("argument %d of region %d is %v, want %v", i, r, a.Type, want[k])
			}
			parts[j] = operand{t, args[k]}
			k++
		}
		b.bind(a, parts)
	}
	if k != len(args) {
		return fmt.Errorf("region %d takes %d arguments, want %d", r, k, len(args))
	}
	return nil
}
