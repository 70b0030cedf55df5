package eval

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"ltc/backends"
	"ltc/backends/reference/internal/loops"
	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

func prepareCall(b *builder, o *site) error {
	return b.call(o, o.op.Callee())
}

// prepareComposite runs the decomposition.
func prepareComposite(b *builder, o *site) error {
	callee := o.op.Callee()
	if callee == "" {
		return fmt.Errorf("attribute decomposition: want the symbol of a function")
	}
	return b.call(o, callee)
}

func (b *builder) call(o *site, name string) error {
	callee, err := b.function(name)
	if err != nil {
		return err
	}
	if len(b.Lacking) > 0 {
		return unsupportedCallee{}
	}
	want := len(callee.args) + len(callee.results)
	if len(o.in) != len(callee.args) || len(o.out) != len(callee.results) || want != len(callee.types) {
		return fmt.Errorf("%s and %s, @%s takes %d and gives %d", diag.Count(len(o.in), "operand"), diag.Count(len(o.out), "result"), name, len(callee.args), len(callee.results))
	}
	args, results := make([]int, len(o.in)), make([]int, len(o.out))
	for i, in := range o.in {
		if t := callee.types[i]; !t.equal(in.tensor) {
			return fmt.Errorf("operand %d is %v, argument %d of @%s %v", i, in.tensor, i, name, t)
		}
		args[i] = in.slot
	}
	for i, out := range o.out {
		if t := callee.types[len(args)+i]; !t.equal(out) {
			return fmt.Errorf("result %d is %v, that of @%s %v", i, out, name, t)
		}
		results[i] = b.result(o, i)
	}
	caller := b.code
	caller.include(callee)
	run := func(f *frame) error { return f.call(caller, callee, args, results) }
	if callee.fallible() {
		b.emitTry(run)
	} else {
		b.emitWork(workOf(callee.steps), func(f *frame) { _ = run(f) })
	}
	return nil
}

// unsupportedCallee ends the preparation of a call of a function whose
// unsupported ops have been noted already.
type unsupportedCallee struct{}

func (unsupportedCallee) Error() string { return "the function has unsupported ops" }

// prepareIf runs the first region if the predicate holds, else the second.
func prepareIf(b *builder, o *site) error {
	p := o.in[0].slot
	return b.branches(o, func(f *frame) int { return 1 - int(*(*uint8)(f.p[p])&1) })
}

// prepareCase runs the region of the index; the last one if there is none such.
func prepareCase(b *builder, o *site) error {
	p, n := o.in[0].slot, len(o.op.Regions)
	return b.branches(o, func(f *frame) int {
		if i := int(*(*int32)(f.p[p])); i >= 0 && i < n {
			return i
		}
		return n - 1
	})
}

func (b *builder) branches(o *site, which func(*frame) int) error {
	blocks := make([]*block, len(o.op.Regions))
	for i := range blocks {
		bl, err := b.region(o, i, nil, nil)
		if err != nil {
			return err
		}
		if err := returns(bl, o.out); err != nil {
			return fmt.Errorf("region %d: %w", i, err)
		}
		blocks[i] = bl
	}
	results := make([]int, len(o.out))
	for i := range results {
		results[i] = b.result(o, i)
	}
	for _, bl := range blocks {
		for _, s := range bl.results {
			b.touch(s, b.pos) // one is copied after other results have been written
		}
	}
	run := func(f *frame) error {
		bl := blocks[which(f)]
		if err := f.exec(bl.steps); err != nil {
			return err
		}
		for i, s := range bl.results {
			f.copy(f.p[results[i]], f.p[s], o.out[i].bytes())
		}
		return nil
	}
	b.emitBlocks(1, run, blocks...)
	return nil
}

// returns checks the types of what a block hands on.
func returns(bl *block, want []tensor) error {
	if len(bl.types) != len(want) {
		return fmt.Errorf("%s returned, want %d", diag.Count(len(bl.types), "value"), len(want))
	}
	for i, t := range bl.types {
		if !t.equal(want[i]) {
			return fmt.Errorf("value %d returned is %v, want %v", i, t, want[i])
		}
	}
	return nil
}

// prepareWhile keeps the loop's values in its results' memory. After each
// turn the body's results are copied there; those that are other loop values
// go by way of scratch, so that none is overwritten before it is read.
func prepareWhile(b *builder, o *site) error {
	carry := make([]int, len(o.in))
	for i, in := range o.in {
		if !in.equal(o.out[i]) {
			return fmt.Errorf("operand %d is %v, the result %v", i, in.tensor, o.out[i])
		}
		carry[i] = b.result(o, i)
	}
	cond, err := b.region(o, 0, carry, o.out)
	if err != nil {
		return err
	}
	body, err := b.region(o, 1, carry, o.out)
	if err != nil {
		return err
	}
	if err := returns(body, o.out); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	type move struct{ from, by, to, bytes int }
	var moves []move
	for i, s := range body.results {
		m := move{s, s, carry[i], o.out[i].bytes()}
		if s != carry[i] {
			if slices.Contains(carry, s) {
				m.by = b.scratch(o, m.bytes)
			}
			moves = append(moves, m)
		}
	}
	b.emitTry(func(f *frame) error {
		for i, in := range o.in {
			f.copy(f.p[carry[i]], f.p[in.slot], in.bytes())
		}
		for {
			if err := f.stop(stepWork); err != nil {
				return err
			}
			if err := f.exec(cond.steps); err != nil {
				return err
			}
			if *(*uint8)(f.p[cond.results[0]]) == 0 {
				return nil
			}
			if err := f.exec(body.steps); err != nil {
				return err
			}
			for _, m := range moves {
				if m.by != m.from {
					f.copy(f.p[m.by], f.p[m.from], m.bytes)
				}
			}
			for _, m := range moves {
				f.copy(f.p[m.to], f.p[m.by], m.bytes)
			}
		}
	})
	return nil
}

// prepareCustomCall calls the host, with what tuples hold and without tokens and the shapes
// of results.
func prepareCustomCall(b *builder, o *site) error {
	target := stringAttr(o.op.Attrs.Get("call_target_name"))
	run := backends.Host(target)
	if run == nil && isShapeAssertion(o.op) {
		return prepareShapeAssertion(b, o)
	}
	if run == nil {
		return unsupportedf("%s", noHost(o.op))
	}
	for _, t := range slices.Concat(inTypes(o), o.out) {
		if t.dt != loops.Token && !t.hosted().DType.Valid() {
			return unsupportedf("a host function cannot take elements of %v", t.dt)
		}
	}
	operands := o.in
	if shapes := stablehlo.ShapeOperands(o.op); len(operands) == len(o.op.Operands) {
		operands = operands[:len(operands)-len(shapes)]
	}
	results := make([]int, len(o.out))
	for i := range results {
		results[i] = b.result(o, i)
	}
	config, attrs := stringAttr(o.op.Attrs.Get("backend_config")), stablehlo.BackendConfig(o.op)
	threads := b.Threads
	b.emitTry(func(f *frame) error {
		c := &backends.HostCall{Target: target, Config: config, Threads: threads, Attrs: attrs}
		for _, in := range operands {
			if in.dt != loops.Token {
				c.Args = append(c.Args, hostView(f.p[in.slot], in.tensor))
			}
		}
		for i, s := range results {
			if o.out[i].dt != loops.Token {
				c.Results = append(c.Results, hostView(f.p[s], o.out[i]))
			}
		}
		if err := run(f.ws.ctx, c); err != nil {
			return errors.Join(fmt.Errorf("host function %q", target), err)
		}
		return nil
	})
	return nil
}

// noHost says that no function is registered for a custom_call, and what to do.
func noHost(call *mlir.Op) string {
	name := stringAttr(call.Attrs.Get("call_target_name"))
	do := cmp.Or(verify.LAPACKHint(call), "see backends.RegisterHost")
	if strings.HasPrefix(name, "fft.") {
		do = "import ltc/fft for its effect, which registers it"
	}
	return fmt.Sprintf("no host function %q is registered: %s", name, do)
}

func inTypes(o *site) []tensor {
	ts := make([]tensor, len(o.in))
	for i, in := range o.in {
		ts[i] = in.tensor
	}
	return ts
}

func hostView(p unsafe.Pointer, t tensor) soa.View {
	return soa.At(p, t.hosted())
}

// isShapeAssertion reports whether op is one. A host function of that name, as of
// any other, comes first.
func isShapeAssertion(op *mlir.Op) bool {
	return stringAttr(op.Attrs.Get("call_target_name")) == stablehlo.ShapeAssertion
}

// prepareShapeAssertion ends the run with the message where the condition is
// false.
func prepareShapeAssertion(b *builder, o *site) error {
	if len(o.in) == 0 || o.in[0].dt != loops.I1 || o.in[0].n != 1 || len(o.out) > 0 {
		return unsupportedf("%s takes a bool and integers, and gives nothing", stablehlo.ShapeAssertion)
	}
	for _, in := range o.in[1:] {
		if !in.dt.IsInt() || in.n != 1 {
			return unsupportedf("%s takes integers after the bool, not %v", stablehlo.ShapeAssertion, in.tensor)
		}
	}
	message := stringAttr(o.op.Attrs.Get("error_message"))
	b.emitTry(func(f *frame) error {
		if *(*uint8)(f.p[o.in[0].slot]) != 0 {
			return nil
		}
		var numbers []string
		for i, in := range o.in[1:] {
			n, err := readInts(f.p[in.slot], in.tensor)
			if err != nil {
				return err
			}
			numbers = append(numbers, fmt.Sprintf("{%d}", i), fmt.Sprint(n[0]))
		}
		return fmt.Errorf("%s: %s", stablehlo.ShapeAssertion, strings.NewReplacer(numbers...).Replace(message))
	})
	return nil
}
