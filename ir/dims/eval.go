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

// instruction sets register To from A and B.
type instruction struct {
	op      Op
	to      int32
	a, b    int32
	divided *atom // of a division, for its error
}

// NewEvaluator returns what computes the sizes ds from values of symbols, which are given in the
// order of the list. All symbols of ds are in the list. The error wraps [ErrTooLarge] if one of ds
// is a size that is too large.
func NewEvaluator(symbols, ds []int64) (*Evaluator, error) {
	b := building{e: &Evaluator{}, at: map[string]int32{}, consts: map[int64]int32{}}
	for _, s := range symbols {
		p := table.at(s)
		if p == nil || p.atom() == nil || !p.atom().isSymbol() {
			return nil, fmt.Errorf("dims: %s is no symbol", String(s))
		}
		a := p.atom()
		b.at[a.key] = b.register(a.lo)
		b.e.symbols = append(b.e.symbols, a)
	}
	for _, d := range ds {
		if err := Check(d); err != nil {
			return nil, err
		}
		p, _ := polyOf(d)
		r, err := b.poly(p)
		if err != nil {
			return nil, err
		}
		b.e.from = append(b.e.from, r)
	}
	return b.e, nil
}

// building is the work of NewEvaluator.
type building struct {
	e      *Evaluator
	at     map[string]int32 // by key, the register of a product or an atom
	consts map[int64]int32
}

func (b *building) register(n int64) int32 {
	b.e.first = append(b.e.first, n)
	return int32(len(b.e.first) - 1)
}

func (b *building) constant(n int64) int32 {
	r, ok := b.consts[n]
	if !ok {
		r = b.register(n)
		b.consts[n] = r
	}
	return r
}

// emit returns the register of an operation's result.
func (b *building) emit(op Op, x, y int32, divided *atom) int32 {
	key := fmt.Sprint(op, " ", x, " ", y)
	r, ok := b.at[key]
	if !ok {
		r = b.register(0)
		b.e.code = append(b.e.code, instruction{op, r, x, y, divided})
		b.at[key] = r
	}
	return r
}

func (b *building) poly(p *poly) (int32, error) {
	if n, ok := p.constant(); ok {
		return b.constant(n), nil
	}
	_, _, overflows := p.termBounds()
	b.e.checked = b.e.checked || overflows
	all := int32(-1)
	for _, t := range p.terms {
		r := int32(-1)
		if t.coef != 1 || len(t.atoms) == 0 {
			r = b.constant(t.coef)
		}
		for _, a := range t.atoms {
			x, err := b.atom(a)
			if err != nil {
				return 0, err
			}
			if r >= 0 {
				x = b.emit(Times, r, x, nil)
			}
			r = x
		}
		if all >= 0 {
			r = b.emit(Plus, all, r, nil)
		}
		all = r
	}
	return all, nil
}

func (b *building) atom(a *atom) (int32, error) {
	key := a.key
	if r, ok := b.at[key]; ok {
		return r, nil
	}
	if a.isSymbol() {
		return 0, fmt.Errorf("dims: the symbol %s has no value: it is none of the list", a.name)
	}
	x, err := b.poly(a.a)
	if err != nil {
		return 0, err
	}
	y, err := b.poly(a.b)
	if err != nil {
		return 0, err
	}
	r := b.emit(a.op, x, y, a)
	b.at[key] = r
	return r, nil
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
				return fmt.Errorf("%s: the divisor is %d", c.divided.text, y)
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
