package eval

import (
	"fmt"

	"ltc/stablehlo"
)

// prepareRegroup hands its operands on: tuple, async_done and
// optimization_barrier differ in their types only, for nothing here moves ops.
func prepareRegroup(b *builder, o *site) error {
	if len(o.in) != len(o.out) {
		return fmt.Errorf("%d operands and %d results", len(o.in), len(o.out))
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
	if len(o.op.Operands) != 1 || len(o.op.Results) != 1 {
		return fmt.Errorf("%d operands and %d results, want 1 of each", len(o.op.Operands), len(o.op.Results))
	}
	var err error
	if o.in, err = b.readElement(o.op); err != nil {
		return err
	}
	return prepareRegroup(b, o)
}

// prepareToken makes a token. Steps run in the order of the text, so it has
// nothing to wait for.
func prepareToken(b *builder, o *site) error {
	if len(o.out) != 1 {
		return fmt.Errorf("%d results, want a token", len(o.out))
	}
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
