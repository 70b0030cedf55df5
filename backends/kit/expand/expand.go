// Package expand writes mathematical functions, and other ops, as kernel IR: products and
// sums that are rounded once, selects, bits as integers, and tables. Its central type is
// [Code]. A function is written once, here; what arithmetic is dear or missing on a
// [Target] chooses between ways to compute it. Targets of one kind of arithmetic get
// the same bits.
//
// The package imports only ltc/backends/kit/approx, ltc/backends/kit/kernel and ltc/ir/types.
package expand

import (
	"fmt"
	"sync"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Target is the arithmetic of the machine that code is for.
type Target struct {
	// FMA says that products are added with one rounding.
	FMA bool
	// Lookup is how wide the numbers are, in bits, of which 16 are looked up in
	// registers: 0, 32 or 64. Other tables are in memory.
	Lookup int
	// Scales says that [kernel.Exponent], [kernel.Mantissa] and [kernel.Scale] are
	// instructions.
	Scales bool
	// Precise asks for the most exact way to compute a function where that takes
	// more instructions, as on targets that wait for memory.
	Precise bool
}

// Use is what is known of the value that is asked for. The zero value is nothing.
type Use struct {
	// NotPositive says that no operand of an exponential is above 0.
	NotPositive bool
	// To is bf16 or f16 if an exponential of f32 is rounded to it in the end: 17 or
	// 19 of the 24 bits are right then.
	To types.DType
}

// Code computes one value from arguments: kernel IR of one stage, without memory.
type Code struct {
	// Instrs begin with one for each argument, which has a type alone.
	Instrs []kernel.Instr
	Args   int
	Result kernel.ID
	// Rare has, for a select, code that takes long and is seldom needed: it computes
	// the select's first choice, whose argument is none, from the given arguments.
	// Targets branch around it.
	Rare map[kernel.ID]Rare
	// Loops has the code of each Loop.
	Loops map[kernel.ID]Loop
}

// Rare is code that is run where a condition holds.
type Rare struct {
	Name string
	Code *Code
	Args []kernel.ID
}

// Loop is code that is run again and again, on values that begin as the first of the
// Loop's arguments. Its value is the first of them in the end. The other arguments stay.
//
// Vectors go on as long as Again holds for one lane: the first of the others stays as it
// is, and Again must not hold for them later, whatever Next makes of the rest.
type Loop struct {
	Again *Code   // of the values and what stays, a bool: whether to go on
	Next  []*Code // of the same, the next of each value
}

// function writes the code of an op on values of one type: bools, integers, or f32s or
// f64s.
type function func(b *builder, x []kernel.ID) kernel.ID

// row has the functions of an op, by the classes of types that it expands.
type row struct{ bools, ints, floats function }

func (r row) of(t types.DType) function {
	switch {
	case t == types.Bool:
		return r.bools
	case t.IsInteger():
		return r.ints
	case t == types.F32 || t == types.F64:
		return r.floats
	}
	return nil
}

var functions [kernel.NumOps]row

// request is what Of is asked for.
type request struct {
	op     kernel.Op
	t      types.DType
	target Target
	use    Use
}

var codes sync.Map // *Code by request

// Of returns the code of an op that [kernel.Op.Expands] values of type t. f16 and bf16
// are computed as f32 and rounded. It is shared: nobody writes to it. It may have ops that
// have expansions as well.
func Of(op kernel.Op, t types.DType, target Target, use Use) *Code {
	key := request{op, t, target, use}
	if c, known := codes.Load(key); known {
		return c.(*Code)
	}
	f := functions[op].of(t)
	if f == nil {
		panic(fmt.Sprintf("expand: %v of %v has no expansion", op, t))
	}
	args := make([]types.DType, op.Arity())
	for i := range args {
		args[i] = t
	}
	c := write(target, use, t, args, f)
	codes.Store(key, c)
	return c
}

// write returns the code that f writes.
func write(target Target, use Use, t types.DType, args []types.DType, f function) *Code {
	b := &builder{Target: target, use: use, t: t, same: map[value]kernel.ID{}, code: &Code{Args: len(args), Rare: map[kernel.ID]Rare{}, Loops: map[kernel.ID]Loop{}}}
	ids := make([]kernel.ID, len(args))
	for i, t := range args {
		ids[i] = kernel.ID(i)
		b.code.Instrs = append(b.code.Instrs, kernel.Instr{Type: t})
	}
	b.code.Result = f(b, ids)
	return b.code.pruned()
}

// pruned returns the code without instructions that nothing needs.
func (c *Code) pruned() *Code {
	needed := make([]bool, len(c.Instrs))
	needed[c.Result] = true
	for id := len(c.Instrs) - 1; id >= c.Args; id-- {
		if !needed[id] {
			continue
		}
		for _, a := range c.Instrs[id].Args {
			if a != kernel.None {
				needed[a] = true
			}
		}
		for _, a := range c.Rare[kernel.ID(id)].Args {
			needed[a] = true
		}
	}
	p := &Code{Args: c.Args}
	as := make([]kernel.ID, len(c.Instrs))
	for id, i := range c.Instrs {
		if id >= c.Args && !needed[id] {
			continue
		}
		as[id] = kernel.ID(len(p.Instrs))
		i.Args = renamed(i.Args, as)
		if r, rare := c.Rare[kernel.ID(id)]; rare {
			if p.Rare == nil {
				p.Rare = map[kernel.ID]Rare{}
			}
			p.Rare[as[id]] = Rare{r.Name, r.Code, renamed(r.Args, as)}
		}
		if l, loop := c.Loops[kernel.ID(id)]; loop {
			if p.Loops == nil {
				p.Loops = map[kernel.ID]Loop{}
			}
			p.Loops[as[id]] = l
		}
		p.Instrs = append(p.Instrs, i)
	}
	p.Result = as[c.Result]
	return p
}
