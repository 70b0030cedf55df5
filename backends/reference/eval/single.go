package eval

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"ltc/backends"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
	"ltc/stablehlo/chlo"
)

// part is a tensor or token in memory.
type part struct {
	tensor
	p unsafe.Pointer
}

func tensorsOf(parts []part) []tensor {
	ts := make([]tensor, len(parts))
	for i, p := range parts {
		ts[i] = p.tensor
	}
	return ts
}

// opCode is one op made ready to run for the types of its operands.
type opCode struct {
	code *code
	pool sync.Pool // of *workspace
}

// opCache prepares ops whose types only a run tells, by the very functions that
// prepare all others, and keeps what it has prepared.
type opCache struct {
	from *compiler
	mu   sync.Mutex
	ops  map[opKey]*opCode
	said int64 // bytes of these
}

// opKey is an op of the text and what it is prepared for.
type opKey struct {
	of    *mlir.Op
	types string
}

// cachedOps is how many prepared ops a cache keeps; then it starts anew.
const cachedOps = 4096

// newOpCache returns a cache whose ops count as what c's program has grown by.
func newOpCache(c *compiler) *opCache {
	if c.grown == nil {
		c.grown = new(atomic.Int64)
	}
	return &opCache{from: c, ops: map[opKey]*opCode{}}
}

// prepare returns op made ready for operands of types in, the values captured
// by its regions of the types of outside, and results of the given types. The
// text has it as the op of, of which values are the operands that have become
// attributes. Preparing ends where ctx does, which is that of the run.
func (c *opCache) prepare(ctx context.Context, of, op *mlir.Op, values [][]int, in []tensor, captured []*mlir.Value, outside [][]tensor, results []mlir.Type) (*opCode, error) {
	var types strings.Builder
	fmt.Fprint(&types, values, in, outside)
	for _, t := range results {
		types.WriteString(t.String())
	}
	key := opKey{of, types.String()}
	if have := c.have(key); have != nil {
		return have, nil
	}
	code, err := c.from.single(ctx, op, in, captured, outside, results)
	if err != nil {
		return nil, err
	}
	if err := soa.Fits(code.arenaAll); err != nil {
		return nil, err
	}
	made := &opCode{code: code}
	made.pool.New = func() any { return pooledWorkspace(code) }
	return c.keep(key, made), nil
}

// have returns what is prepared for key; nil if nothing is. Nobody holds the lock while
// preparing: a run would wait for another's, whose context is not its own.
func (c *opCache) have(key opKey) *opCode {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ops[key]
}

// keep keeps what was prepared for key, and returns what another run has kept before.
func (c *opCache) keep(key opKey, made *opCode) *opCode {
	c.mu.Lock()
	defer c.mu.Unlock()
	if have := c.ops[key]; have != nil {
		return have
	}
	if len(c.ops) >= cachedOps {
		clear(c.ops)
		c.from.grown.Add(-c.said)
		c.said = 0
	}
	bytes := int64(residentOp(key, made))
	c.ops[key] = made
	c.said += bytes
	c.from.grown.Add(bytes)
	return made
}

// run runs the op for the run that ws belongs to: on the memory of args, into
// that of results.
func (c *opCode) run(ws *workspace, args, results []part) error {
	own := c.pool.Get().(*workspace)
	own.ctx, own.Done, own.state, own.draws = ws.ctx, ws.Done, ws.shared(), ws.draws
	f := &own.frames[0]
	for i, s := range c.code.args {
		f.p[s] = args[i].p
	}
	for i, s := range c.code.results {
		f.p[s] = results[i].p
	}
	err := f.exec(c.code.steps)
	ws.draws = own.draws
	own.release(c.code)
	c.pool.Put(own)
	return err
}

// single prepares a function of one op. The op's own values have the types
// that the text gives; here they get others.
func (c *compiler) single(ctx context.Context, op *mlir.Op, in []tensor, captured []*mlir.Value, outside [][]tensor, results []mlir.Type) (*code, error) {
	program := *c.Program
	program.Lacking = nil
	fresh := newCompiler(ctx, &program)
	fresh.held, fresh.grown = c.held, c.grown
	b := &builder{
		compiler: fresh, code: &code{name: op.Name(), lastFallible: -1},
		slotOf: map[*mlir.Value]int{}, parts: map[*mlir.Value][]operand{},
	}
	args := func(ts []tensor) []operand {
		parts := make([]operand, len(ts))
		for i, t := range ts {
			s := b.newSlot(slot{bytes: t.bytes(), kind: external})
			b.code.args, parts[i] = append(b.code.args, s), operand{t, s}
		}
		return parts
	}
	one := mlir.NewOp(op.Code, nil, results...)
	one.Attrs, one.Regions, one.Loc, one.Pos, one.Ordinal = op.Attrs, op.Regions, op.Loc, op.Pos, op.Ordinal
	for _, v := range op.Operands {
		w := &mlir.Value{Name: v.Name, Type: v.Type}
		n := len(leafTypes(v.Type))
		if t, ok := v.Type.(*mlir.TensorType); ok && openType(t) {
			c, err := closed(t, in[0].shape, nil)
			if err != nil {
				return nil, err
			}
			w.Type = c
		}
		b.parts[w] = args(in[:n])
		in = in[n:]
		one.Operands = append(one.Operands, w)
	}
	for i, v := range captured {
		b.parts[v] = args(outside[i])
	}
	given, err := b.ops(&mlir.Block{Ops: standFor(one)})
	if err != nil {
		return nil, err
	}
	if err := backends.Unsupported("eval", c.File, fresh.Lacking); err != nil {
		return nil, err
	}
	b.code.steps = b.steps
	for _, p := range given {
		b.code.results = append(b.code.results, b.ownResult(p.slot, p.tensor, op))
	}
	b.code.layout()
	b.code.tables = fresh.tables
	return b.code, nil
}

// standFor returns the ops of a block that gives the results of op: op itself, or of CHLO
// what stands for it, as its types are of known sizes.
func standFor(op *mlir.Op) []*mlir.Op {
	ops := []*mlir.Op{op, mlir.NewOp(stablehlo.Return, op.Results)}
	if !chlo.Lowers(op) || exactly(op) {
		return ops
	}
	m := &mlir.Module{Ops: ops}
	chlo.Lower(m, exactly)
	return m.Ops
}
