package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
	"ltc/stablehlo"
)

// prepareFunc turns one op into steps. The verifier has accepted the op. What is
// checked here is what its rule leaves open, and what the values of a dynamic op say.
type prepareFunc func(b *builder, o *site) error

// compiler prepares the functions of one module.
type compiler struct {
	*backends.Program
	ctx    context.Context
	codes  map[string]*code      // nil for one that is being prepared
	tuples map[*mlir.Type]*tuple // by first element; see values.go
	// leafCount counts what tuples are made of, each time that it is asked for.
	leafCount int
	splats    map[string][]byte // blocks by element; see splat.go
	held      int               // bytes of constants and tables
	tables    int               // bytes of tables, which the steps hold
	grown     *atomic.Int64     // bytes of ops that runs prepare; nil without an opCache
	open      []string          // functions being prepared, outermost first
	opens     openFunctions
}

// builder prepares one function.
type builder struct {
	*compiler
	code   *code
	slotOf map[*mlir.Value]int
	parts  map[*mlir.Value][]operand // of values that are no tensors; see values.go
	pos    int                       // counts ops, and ends of regions, in order
	scopes []*scope                  // of the regions around the current op
	steps  []step                    // of the current block
	site   *site
}

// scope collects what a region takes from outside: it stays alive until the
// op that holds the region is done, for the region may run many times.
type scope struct {
	start    int
	captured []int
}

// site is the op being prepared. Tuples count as what they hold: in and out
// list tensors and tokens.
type site struct {
	op  *mlir.Op
	pos int
	in  []operand
	out []tensor
	res []int // slots of the results; -1 where not prepared yet
	own []int // slots that stay alive until the op is done
}

type operand struct {
	tensor
	slot int
}

// unsupported is the error of an op that is right but not implemented.
type unsupported struct{ reason string }

func (u unsupported) Error() string { return u.reason }

func unsupportedf(format string, args ...any) error {
	return unsupported{fmt.Sprintf(format, args...)}
}

// function returns the prepared function of the given name.
func (c *compiler) function(name string) (*code, error) {
	switch code, begun := c.codes[name]; {
	case code != nil:
		return code, nil
	case begun:
		return nil, fmt.Errorf("@%s calls itself, by way of @%s", name, strings.Join(c.open, ", @"))
	}
	fn := c.Module.Func(name)
	if fn == nil {
		return nil, fmt.Errorf("no function @%s in the module", name)
	}
	if fn.Body() == nil {
		return nil, fmt.Errorf("@%s has no body of one block", name)
	}
	if c.isOpen(fn) {
		code, err := c.openFunction(fn)
		if err == nil {
			c.codes[name] = code
		}
		return code, err
	}
	c.codes[name] = nil
	c.open = append(c.open, name)
	defer func() { c.open = c.open[:len(c.open)-1] }()
	b := &builder{compiler: c, code: &code{name: name, lastFallible: -1}, slotOf: map[*mlir.Value]int{}, parts: map[*mlir.Value][]operand{}}
	if err := b.define(fn); err != nil {
		return nil, err
	}
	c.codes[name] = b.code
	return b.code, nil
}

func (b *builder) define(fn *mlir.Op) error {
	body, c := fn.Body(), b.code
	for i, a := range body.Args {
		ts, reason := b.leaves(a.Type)
		if reason != "" {
			if c.name != "main" { // of whose signature all is known already
				b.lack(fn, fmt.Sprintf("argument %d: %s", i, reason))
			}
			ts = []tensor{{dt: loops.F32}}
		}
		var parts []operand
		for _, t := range ts {
			c.types = append(c.types, t)
			s := b.newSlot(slot{bytes: t.bytes(), kind: external})
			c.args = append(c.args, s)
			parts = append(parts, operand{t, s})
		}
		b.bind(a, parts)
	}
	results, err := b.ops(body)
	if err != nil {
		return err
	}
	if ft := fn.FuncType(); ft != nil && len(ft.Outs) == 0 {
		results = nil // what stablehlo.return names is dropped
	}
	c.steps = b.steps
	last := body.Ops[len(body.Ops)-1]
	for i, v := range last.Operands {
		if _, reason := b.leaves(v.Type); reason != "" && c.name != "main" {
			b.lack(fn, fmt.Sprintf("result %d: %s", i, reason))
		}
	}
	for _, r := range results {
		c.types = append(c.types, r.tensor)
		c.results = append(c.results, b.ownResult(r.slot, r.tensor, last))
	}
	c.layout()
	return nil
}

// ownResult returns a slot for a result of the function which nothing else
// uses afterwards: s, or a copy of it where s belongs to the caller, is a
// constant or is a result already.
func (b *builder) ownResult(s int, t tensor, op *mlir.Op) int {
	if b.code.slots[s].kind != planned || b.code.slots[s].result {
		b.pos++
		b.touch(s, b.pos)
		to := b.newSlot(slot{bytes: t.bytes()})
		b.code.steps = append(b.code.steps, step{do: copySlot(to, s, t.bytes()), op: op, work: loops.Added(t.n, stepWork), pos: b.pos})
		s = to
	}
	b.code.slots[s].result = true
	b.touch(s, maxPos)
	return s
}

const maxPos = int(^uint(0) >> 1)

// ops prepares a block's ops up to its terminator, into b.steps, and returns
// what the terminator hands on.
func (b *builder) ops(bl *mlir.Block) ([]operand, error) {
	for i, op := range bl.Ops {
		b.pos++
		if i == len(bl.Ops)-1 {
			if op.Code != mlir.OpReturn && op.Code != stablehlo.Return {
				return nil, b.errorAt(op, fmt.Errorf("the block does not end with a return"))
			}
			return b.handOn(op), nil
		}
		if err := b.op(op); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: a block without ops", b.File)
}

// op prepares one op. What is merely unsupported is noted, and the work goes
// on to find the others.
func (b *builder) op(op *mlir.Op) error {
	if b.ctx.Err() != nil {
		return cancelError{fmt.Errorf("%s: prepare ended on line %d, at %s: %w", b.File, op.Pos.Line, op.Name(), context.Cause(b.ctx))}
	}
	s := &site{op: op, pos: b.pos}
	prepare := opTable[op.Code].prepare
	if lacks(op.Code) {
		b.lack(op, "not an op of this backend")
		b.placeholders(s)
		return nil
	}
	if op.Code != tupleElement && !b.operands(s) || !b.resultTypes(s) {
		if b.leafCount > mostLeaves {
			return b.errorAt(op, errors.New(tooManyLeaves))
		}
		b.placeholders(s)
		return nil
	}
	outer := b.site
	b.site = s
	if slices.ContainsFunc(s.in, b.compact) && !s.takesSplats() {
		b.dense(s)
	}
	err := s.quantized(prepare)(b, s)
	b.site = outer
	for _, in := range s.in {
		b.touch(in.slot, b.pos)
	}
	for _, own := range s.own {
		b.touch(own, b.pos)
	}
	switch u := err.(type) {
	case unsupported:
		b.lack(op, u.reason)
		b.placeholders(s)
		return nil
	case unsupportedCallee:
		b.placeholders(s)
		return nil
	}
	if err != nil {
		return b.errorAt(op, err)
	}
	if err := b.bindResults(s); err != nil {
		return b.errorAt(op, err)
	}
	return nil
}

// operands reads the op's operands; it notes the first whose type is not one
// of the evaluator's, and reports whether there is none.
func (b *builder) operands(s *site) bool {
	ok := true
	for i, v := range s.op.Operands {
		parts, reason := b.read(v)
		if reason != "" && ok {
			b.lack(s.op, fmt.Sprintf("operand %d: %s", i, reason))
			ok = false
		}
		s.in = append(s.in, parts...)
	}
	return ok
}

func (b *builder) resultTypes(s *site) bool {
	ok := true
	for i, v := range s.op.Results {
		ts, reason := b.leaves(v.Type)
		if reason != "" && ok {
			b.lack(s.op, fmt.Sprintf("result %d: %s", i, reason))
			ok = false
		}
		s.out = append(s.out, ts...)
	}
	s.res = make([]int, len(s.out))
	for i := range s.res {
		s.res[i] = -1
	}
	return ok
}

// placeholders gives results to an op that could not be prepared, so that
// what follows can be looked at.
func (b *builder) placeholders(s *site) {
	for _, r := range s.op.Results {
		if b.bound(r) {
			continue
		}
		ts, reason := b.leaves(r.Type)
		if reason != "" {
			b.slotOf[r] = b.newSlot(slot{})
			continue
		}
		parts := make([]operand, len(ts))
		for i, t := range ts {
			parts[i] = operand{t, b.newSlot(slot{})}
		}
		b.bind(r, parts)
	}
}

func (c *compiler) lack(op *mlir.Op, reason string) {
	c.Lacking = append(c.Lacking, backends.UnsupportedOp{Op: op.Name(), Pos: op.Pos, Line: c.Line(op.Pos), Reason: reason})
}

// cancelError is the error of a prepare whose context ended: it says at which op.
type cancelError struct{ error }

func (e cancelError) Unwrap() error { return e.error }

// errorAt gives err the position of op; an error of an op inside it keeps its own.
func (c *compiler) errorAt(op *mlir.Op, err error) error {
	if placed := (*mlir.Error)(nil); errors.As(err, &placed) && placed.File != "" || errors.As(err, new(cancelError)) {
		return err
	}
	return c.Place(&mlir.Error{Pos: op.Pos, Msg: op.Name() + ": " + err.Error(), Cause: err})
}
