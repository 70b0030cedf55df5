package eval

import (
	"fmt"

	"ltc/backends/reference/internal/loops"
	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/stablehlo"
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
			return []tensor{{dt: loops.Token, n: 1}}, ""
		}
		if elems := content(t); elems != nil {
			return leaves(mlir.TupleType{Elems: elems})
		}
	}
	ts, reason := parseTensor(t)
	return []tensor{ts}, reason
}

// tuple is what leaves says of the elements of a tuple, one after the other.
type tuple struct {
	all    []tensor
	starts []int // where those of each element start; then len(all)
	reason string
}

// mostLeaves bounds what the types of all values of a program are made of: a
// tuple of tuples of tuples can hold more than the text that says so.
const mostLeaves = 1 << 23

const tooManyLeaves = "the tuples of the program hold more values than the evaluator takes"

// leaves is the function leaves, which looks at a tuple type once.
func (c *compiler) leaves(t mlir.Type) ([]tensor, string) {
	tt, ok := t.(mlir.TupleType)
	if !ok || len(tt.Elems) == 0 {
		return leaves(t)
	}
	of := c.tuple(tt)
	if c.leafCount += len(of.all); c.leafCount > mostLeaves {
		return nil, tooManyLeaves
	}
	return of.all, of.reason
}

func (c *compiler) tuple(t mlir.TupleType) *tuple {
	of := c.tuples[&t.Elems[0]]
	if of == nil {
		of = &tuple{}
		for _, e := range t.Elems {
			of.starts = append(of.starts, len(of.all))
			ts, reason := c.leaves(e)
			of.all = append(of.all, ts...)
			if of.reason = reason; reason != "" {
				break
			}
		}
		of.starts = append(of.starts, len(of.all))
		c.tuples[&t.Elems[0]] = of
	}
	return of
}

// content returns the types of what a future stands for; nil for another type.
func content(t mlir.DialectType) []mlir.Type {
	elems, _ := stablehlo.FutureElems(t)
	return elems
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
		return b.useAll(parts), ""
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

func (b *builder) useAll(parts []operand) []operand {
	for _, p := range parts {
		b.use(p.slot)
	}
	return parts
}

// readElement is read of one element of the tuple that op takes it from.
func (b *builder) readElement(op *mlir.Op) ([]operand, error) {
	index := stablehlo.AsGetTupleElement(op).Index()
	of, parts := b.tuple(op.Operands[0].Type.(mlir.TupleType)), b.parts[op.Operands[0]]
	if of.reason != "" || len(parts) != len(of.all) {
		return nil, unsupportedf("operand 0: %s", of.reason)
	}
	return b.useAll(parts[of.starts[index]:of.starts[index+1]]), nil
}

// bindResults gives the op's results the slots that its preparation made.
func (b *builder) bindResults(s *site) error {
	k := 0
	for i, r := range s.op.Results {
		ts, _ := b.leaves(r.Type)
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
		ts, reason := b.leaves(a.Type)
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
		return fmt.Errorf("region %d takes %s, want %d", r, diag.Count(k, "argument"), len(args))
	}
	return nil
}

// prepareRegroup hands its operands on: tuple, async_done and
// optimization_barrier differ in their types only, for nothing here moves ops.
func prepareRegroup(b *builder, o *site) error {
	if len(o.in) != len(o.out) {
		return fmt.Errorf("%s and %s", diag.Count(len(o.in), "operand"), diag.Count(len(o.out), "result"))
	}
	for i, in := range o.in {
		if !in.equal(o.out[i]) {
			return fmt.Errorf("operand %d is %v, the result %v", i, in.tensor, o.out[i])
		}
		b.alias(o, i, in.slot)
	}
	return nil
}

const tupleElement = stablehlo.GetTupleElement

// prepareTupleElement takes the leaves of one element. Its operand has not been
// read: who takes all elements of a tuple one by one need not read all of it
// each time.
func prepareTupleElement(b *builder, o *site) error {
	var err error
	if o.in, err = b.readElement(o.op); err != nil {
		return err
	}
	return prepareRegroup(b, o)
}

// prepareToken makes a token. Steps run in the order of the text, so it has
// nothing to wait for.
func prepareToken(b *builder, o *site) error {
	b.result(o, 0)
	return nil
}

// prepareAsyncStart runs its region at once, which the specification leaves
// open: the future is its results.
func prepareAsyncStart(b *builder, o *site) error {
	args, types := make([]int, len(o.in)), make([]tensor, len(o.in))
	for i, in := range o.in {
		args[i], types[i] = in.slot, in.tensor
	}
	body, err := b.region(o, 0, args, types)
	if err != nil {
		return err
	}
	if err := returns(body, o.out); err != nil {
		return err
	}
	for i := range o.out {
		b.result(o, i)
	}
	b.emitBlocks(1, func(f *frame) error {
		if err := f.exec(body.steps); err != nil {
			return err
		}
		for i, s := range body.results {
			f.copy(f.p[o.res[i]], f.p[s], o.out[i].bytes())
		}
		return nil
	}, body)
	return nil
}
