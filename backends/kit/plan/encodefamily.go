package plan

import (
	"fmt"
	"log/slog"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/internal/diag"
	"ltc/ir/dims"
)

// Encode returns the family as bytes that [DecodeFamily] reads. It reports false where [Program.Encode] does, and for a
// family whose program [DecodeFamily] does not find whole for typical sizes.
func (f *Family) Encode() ([]byte, bool) {
	opening, guards := f.Opening, f.guards
	data, ok := encodeOpen(func(c *coder) {
		c.program(f.open)
		c.opening(&opening, &guards)
	})
	if !ok {
		return nil, false
	}
	_, err := DecodeFamily(data, nil, noHosts, nil)
	return data, err == nil
}

// encodeOpen returns what code writes, after the expressions of its sizes.
func encodeOpen(code func(c *coder)) ([]byte, bool) {
	c, all := &coder{sizes: &expressions{at: map[expression]int64{}}}, new(coder)
	if code(c); c.err != nil {
		return nil, false
	}
	slice(all, &c.sizes.all, all.expression)
	return append(all.data, c.data...), true
}

// DecodeFamily reads what [Family.Encode] has written in a process of the same executable; again is the origin of the
// program whose numbers are expressions, and hosts is as for [Decode]. As [Decode], it returns an error for any other bytes, or a family that can be made
// executable. It is checked for typical sizes; [NewFamily] has checked it for many sizes before it was written.
func DecodeFamily(data []byte, again Origin, hosts Hosts, log *slog.Logger) (*Family, error) {
	c := &coder{data: data, reading: true, from: again, hosts: hosts}
	f, err := c.readFamily(log)
	if err != nil {
		return nil, fmt.Errorf("plan: decode: %w", err)
	}
	return f, nil
}

// noHosts is for programs that are looked at, and not run.
func noHosts(string) (backends.Executable, int, error) { return nil, 0, nil }

// readOpen reads a program whose numbers may be expressions, after these. Views says that it may have layouts.
func (c *coder) readOpen(views bool) (*Program, error) {
	sizes := new(expressions)
	if slice(c, &sizes.all, c.expression); c.err != nil {
		return nil, c.err
	}
	if err := sizes.make(); err != nil {
		return nil, err
	}
	// For typical sizes it is a program that can be shown to be whole.
	c.parsed = map[string][]*kernel.Kernel{}
	typical := *c
	typical.hosts = noHosts
	typical.sizes = &expressions{values: make([]int64, len(sizes.values))}
	for i, d := range sizes.values {
		typical.sizes.values[i] = dims.Typical(d)
	}
	p := new(Program)
	if typical.program(p); typical.err != nil {
		return nil, typical.err
	}
	if err := p.whole(views); err != nil {
		return nil, err
	}
	p, c.sizes = new(Program), sizes
	c.program(p)
	return p, c.err
}

// end reports an error, also of bytes that are left.
func (c *coder) end() error {
	if c.err == nil && len(c.data) > 0 {
		c.fail("%s too many at its end", diag.Count(len(c.data), "byte"))
	}
	return c.err
}

func (c *coder) readFamily(log *slog.Logger) (*Family, error) {
	p, err := c.readOpen(false)
	if err != nil {
		return nil, err
	}
	f := &Family{open: p, decoded: true}
	c.opening(&f.Opening, &f.guards)
	if err := c.end(); err != nil {
		return nil, err
	}
	if err := f.Opening.whole(len(f.open.SizeArgs), len(f.open.Args)); err != nil {
		return nil, err
	}
	for _, g := range f.guards {
		if g.Rule > dims.Multiple {
			return nil, fmt.Errorf("a guard has the rule %d", g.Rule)
		}
	}
	f.open.Logger = log
	return newFamily(f)
}

// whole is that of a program, of what a family leaves open.
func (o *Opening) whole(sizeArgs, args int) error {
	if len(o.Sig.Args)+sizeArgs != args {
		return fmt.Errorf("it has %s", diag.Count(args, "argument"))
	}
	for i, s := range o.Symbols {
		if len(s.At) == 0 {
			return fmt.Errorf("symbol %d has no dimension", i)
		}
		for _, d := range s.At {
			if d.Arg < 0 || d.Arg >= len(o.Sig.Args) || d.Axis < 0 || d.Axis >= o.Sig.Args[d.Arg].Type.Rank() {
				return fmt.Errorf("there is no dimension %v of symbol %d", d, i)
			}
		}
	}
	return nil
}

// opening codes what a family is made from besides its program.
func (c *coder) opening(o *Opening, guards *[]dims.Guard) {
	if o.Sig == nil {
		o.Sig = new(backends.Signature)
	}
	c.signature(o.Sig)
	slice(c, &o.Symbols, func(s *Symbol) {
		integer(c, &s.Size)
		c.text(&s.Name)
		slice(c, &s.At, func(d *backends.Dimension) {
			integer(c, &d.Arg)
			c.text(&d.Name)
			integer(c, &d.Axis)
		})
		integer(c, &s.Least)
		integer(c, &s.Most)
	})
	slice(c, guards, func(g *dims.Guard) {
		integer(c, &g.Rule)
		integer(c, &g.A)
		integer(c, &g.B)
	})
}

// expressions is the table of open sizes. Names of package dims are those of a process: the code of a size is its place in
// the table.
type expressions struct {
	all    []expression         // an operand comes before the operations on it
	at     map[expression]int64 // the places, of what is written
	values []int64              // the sizes, of what is read
}

// expression is a number, a symbol or an operation.
type expression struct {
	kind uint8
	op   dims.Op
	name string // of a symbol
	a, b int64  // the number; the bounds of a symbol; the places of operands
}

// kinds of expressions, as they are coded.
const (
	isNumber uint8 = iota
	isSymbol
	isOperation
)

func (c *coder) expression(x *expression) {
	integer(c, &x.kind)
	integer(c, &x.op)
	c.text(&x.name)
	integer(c, &x.a)
	integer(c, &x.b)
}

// place returns the place of a size, which may be new.
func (s *expressions) place(size int64) int64 {
	add := func(x expression) int64 {
		n, ok := s.at[x]
		if !ok {
			n = int64(len(s.all))
			s.all, s.at[x] = append(s.all, x), n
		}
		return n
	}
	return dims.Fold(size, func(d int64) int64 {
		if name, lo, hi, ok := dims.SymbolOf(d); ok {
			return add(expression{kind: isSymbol, name: name, a: lo, b: hi})
		}
		return add(expression{kind: isNumber, a: d})
	}, func(op dims.Op, x, y int64) int64 { return add(expression{kind: isOperation, op: op, a: x, b: y}) })
}

// make sets the values.
func (s *expressions) make() error {
	for i, x := range s.all {
		var size int64
		switch n := int64(i); {
		case x.kind == isNumber && !dims.IsExpr(x.a):
			size = x.a
		case x.kind == isSymbol && x.a >= 0 && x.a < x.b:
			size = dims.Symbol(x.name, x.a, x.b)
		case x.kind == isOperation && x.op <= dims.Greatest && x.a >= 0 && x.a < n && x.b >= 0 && x.b < n:
			size = dims.Apply(x.op, s.values[x.a], s.values[x.b])
		default:
			return fmt.Errorf("size %d is no expression", i)
		}
		if err := dims.Check(size); err != nil {
			return fmt.Errorf("size %d: %w", i, err)
		}
		s.values = append(s.values, size)
	}
	return nil
}

// firstPlace is the code of the size that is the first of the expressions; the next ones follow below.
const firstPlace = -dims.Largest - 1

// codeOf returns the code of a number, which is itself unless it is an expression.
func (c *coder) codeOf(n int64) int64 {
	if c.sizes == nil || !dims.IsExpr(n) {
		return n
	}
	if dims.Check(n) != nil {
		c.err = errNotBytes
		return 0
	}
	return firstPlace - c.sizes.place(n)
}

// number returns the number of a code.
func (c *coder) number(code int64) int64 {
	if c.sizes == nil || !dims.IsExpr(code) {
		return code
	}
	n := firstPlace - code
	if n >= int64(len(c.sizes.values)) {
		c.fail("there is no size %d", n)
		return 0
	}
	return c.sizes.values[n]
}
