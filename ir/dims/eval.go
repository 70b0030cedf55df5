package dims

import (
	"fmt"
	"slices"
)

// Evaluator computes numbers from the values of symbols. It is immutable; any number of
// goroutines use it at once, each with registers of its own ([Evaluator.Registers]).
type Evaluator struct {
	symbols []*atom
	code    []instruction
	from    []int32 // by size: the register that has it
	first   []int64 // registers at the start: symbols, then constants
	checked bool    // operations may overflow
}

// instruction sets a register to the result of a step.
type instruction struct {
	step
	to int32
	of *atom // the operation; nil: a sum or a product
}

// NewEvaluator returns what computes the sizes ds from values of symbols, which are given in the
// order of the list. All symbols of ds are in the list. The error wraps [ErrTooLarge] if one of ds
// is a size that is too large.
func NewEvaluator(symbols, ds []int64) (*Evaluator, error) {
	b := building{e: &Evaluator{}, at: map[step]register{}, leaves: map[int64]register{}}
	for _, s := range symbols {
		p := table.at(s)
		if p == nil || p.atom() == nil || !p.atom().isSymbol() {
			return nil, fmt.Errorf("dims: %s is no symbol", String(s))
		}
		a := p.atom()
		b.leaves[s] = b.register(a.lo, a.lo, a.hi)
		b.e.symbols = append(b.e.symbols, a)
	}
	for _, d := range ds {
		if err := Check(d); err != nil {
			return nil, err
		}
		b.e.from = append(b.e.from, foldSize(d, b.leaf, b.emit).at)
	}
	return b.e, b.err
}

// building is the work of NewEvaluator.
type building struct {
	e      *Evaluator
	at     map[step]register // of the results of operations
	leaves map[int64]register
	err    error
}

// step is an operation on two registers.
type step struct {
	op   Op
	a, b int32
}

// register is the place of a number in the registers, and the least and the largest that it can be.
type register struct {
	at     int32
	lo, hi int64
}

func (b *building) register(n, lo, hi int64) register {
	b.e.first = append(b.e.first, n)
	return register{int32(len(b.e.first) - 1), lo, hi}
}

// leaf returns the register of a number or a symbol.
func (b *building) leaf(d int64) register {
	r, ok := b.leaves[d]
	if !ok {
		if IsExpr(d) && b.err == nil {
			b.err = fmt.Errorf("dims: the symbol %s has no value: it is none of the list", String(d))
		}
		r = b.register(d, d, d)
		b.leaves[d] = r
	}
	return r
}

// emit returns the register of an operation's result. Of is the atom whose operation it is; nil: none.
func (b *building) emit(op Op, x, y register, of *atom) register {
	key := step{op, x.at, y.at}
	r, ok := b.at[key]
	if ok {
		return r
	}
	var lo, hi int64
	switch op {
	case Plus:
		lo, hi = clip(x.lo+y.lo), clip(x.hi+y.hi)
	case Times:
		lo, hi = span(x.lo, x.hi, y.lo, y.hi)
	default:
		lo, hi = of.lo, of.hi
	}
	b.e.checked = b.e.checked || lo <= -Largest || hi >= Largest
	r = b.register(0, lo, hi)
	b.e.code = append(b.e.code, instruction{key, r.at, of})
	b.at[key] = r
	return r
}

// Registers returns memory for [Evaluator.Eval], of one goroutine.
func (e *Evaluator) Registers() []int64 { return slices.Clone(e.first) }

// Eval computes the sizes of e from the values of its symbols. Size i is then e.Of(registers, i).
// It allocates nothing. It is an error if a symbol is outside its bounds, a divisor is not positive
// or a size is too large.
func (e *Evaluator) Eval(registers, symbols []int64) error {
	for i, a := range e.symbols {
		n := symbols[i]
		if n < a.lo || n > a.hi {
			return fmt.Errorf("%s is %d: it can be %d to %d", a.name, n, a.lo, a.hi)
		}
		registers[i] = n
	}
	for i := range e.code {
		c := &e.code[i]
		x, y := registers[c.a], registers[c.b]
		n := int64(0)
		switch c.op {
		case Plus:
			n = x + y
		case Times:
			n = x * y
			if e.checked {
				ok := true
				if n, ok = product(x, y); !ok {
					return e.tooLarge()
				}
			}
		case Floor:
			if y <= 0 {
				return fmt.Errorf("%s: the divisor is %d", c.of.text, y)
			}
			n = floorDiv(x, y)
		case Least:
			n = min(x, y)
		case Greatest:
			n = max(x, y)
		}
		if e.checked && (n > Largest || n < -Largest) {
			return e.tooLarge()
		}
		registers[c.to] = n
	}
	return nil
}

// tooLarge is the error of sizes beyond Largest.
func (e *Evaluator) tooLarge() error {
	return fmt.Errorf("%w: sizes are products of symbols that are beyond what memory can hold", ErrTooLarge)
}

// Of returns size i of those that e was made for.
func (e *Evaluator) Of(registers []int64, i int) int64 { return registers[e.from[i]] }
