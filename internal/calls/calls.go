// Package calls calls ops by name: a registry of every op that is a function of tensors
// and attributes, for tools and tests which learn only when they run what to call. An op
// of the op table is called by generated code; [byHand] has the methods and functions
// without a row of their own. Its central type is [Op].
//
// The package imports only ltc/lazy, ltc/soa, ltc/ir/ops, ltc/ir/types, ltc/ir/dims,
// ltc/internal/diag and the packages of ops.Packages.
package calls

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"ltc/internal/diag"
	"ltc/ir/ops"
	"ltc/lazy"
)

// Op is an op that can be called by name.
type Op struct {
	*ops.Op          // its row, or the signature of a function without one in the same form
	Composite bool   // a row that is no primitive
	ByHand    bool   // a function without a row of its own
	Static    bool   // a function of a package rather than a method of a tensor
	optional  string // attributes, apart from lists and flags, that may be left out
	check     func(v Values) error
	call      func(c *Call) []*lazy.Tensor
}

// Call is a call of an op with its tensors.
type Call struct {
	Trace  *lazy.Trace
	X      []*lazy.Tensor
	Values // the attributes
}

// function is what generated code says of a row.
type function struct {
	name string
	call func(c *Call) []*lazy.Tensor
}

// All returns every op, in the order of their names.
var All = sync.OnceValue(func() []*Op {
	calls := map[string]func(c *Call) []*lazy.Tensor{}
	for _, f := range generated {
		calls[f.name] = f.call
	}
	var all []*Op
	for i, row := range ops.All() {
		if call := calls[row.GoName()]; call != nil {
			all = append(all, &Op{Op: row, Composite: i >= len(ops.Table), Static: row.Package != "", call: call})
		}
	}
	for i := range byHand {
		byHand[i].ByHand = true
		all = append(all, &byHand[i])
	}
	slices.SortStableFunc(all, func(a, b *Op) int { return cmp.Compare(a.GoName(), b.GoName()) })
	return all
})

// Find returns the op with a name: that of its Go method or function (MatMul, nn.SiLU), or
// the mnemonic in texts and errors (matmul, nn.silu). The error for another name says which is closest by its
// letters, or else by its words: the function of a package counts as its name without the package, too.
func Find(name string) (*Op, error) {
	for _, o := range All() {
		if o.GoName() == name || o.Mnemonic() == name {
			return o, nil
		}
	}
	if base, ok := strings.CutSuffix(name, "_"); ok {
		if o, err := Find(base); err == nil {
			return nil, fmt.Errorf("no op %q, which writes into its receiver: call %s, and take the result", name, o.GoName())
		}
	}
	best, edits := "", max(2, len(name)/3)+1
	for _, o := range All() {
		for _, n := range []string{o.GoName(), o.Mnemonic()} {
			d := diag.Edits(strings.ToLower(name), strings.ToLower(n))
			if _, bare, ok := strings.Cut(n, "."); ok {
				d = min(d, diag.Edits(strings.ToLower(name), strings.ToLower(bare)))
			}
			if d < edits {
				best, edits = n, d
			}
		}
	}
	if best == "" {
		best = nearestByWords(name)
	}
	if best != "" {
		best = fmt.Sprintf(": did you mean %s?", best)
	}
	return nil, fmt.Errorf("no op %q%s", name, best)
}

// nearestByWords returns the Go name of the op that shares most words with a name, at least half of those of both:
// HannWindow for window_hann. It returns "" if there is none.
func nearestByWords(name string) (best string) {
	asked, most := wordsOf(name), 0.0
	for _, o := range All() {
		own, shared := wordsOf(o.Mnemonic()), 0
		for _, w := range own {
			if slices.Contains(asked, w) {
				shared++
			}
		}
		if share := 2 * float64(shared) / float64(len(asked)+len(own)); share >= 0.5 && share > most {
			best, most = o.GoName(), share
		}
	}
	return best
}

// wordsOf splits a name, without its package, at underscores and capitals. The number of axes at the end of a word, as in
// pool2d, is none of its letters.
func wordsOf(name string) (all []string) {
	name = name[strings.LastIndexByte(name, '.')+1:]
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && !unicode.IsUpper(rune(name[i-1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	for _, w := range strings.Split(b.String(), "_") {
		for _, axes := range []string{"1d", "2d", "3d"} {
			w = strings.TrimSuffix(w, axes)
		}
		if w != "" {
			all = append(all, w)
		}
	}
	return all
}

// Signature prints the op as MatMul(x, y) or Sum(x) {axes: axes}. What may be left out
// stands in brackets.
func (o *Op) Signature() string {
	var in, attrs []string
	for _, p := range o.Operands {
		switch name := p.Name; {
		case p.Variadic:
			in = append(in, name+"…")
		case p.Optional:
			in = append(in, "["+name+"]")
		default:
			in = append(in, name)
		}
	}
	for _, a := range o.Attrs {
		s := a.Name + ": " + a.Kind.String()
		if words := o.words(a); words != nil {
			s = a.Name + ": " + strings.Join(words, "|")
		}
		if !o.required(a) {
			s = "[" + s + "]"
		}
		attrs = append(attrs, s)
	}
	s := o.GoName() + "(" + strings.Join(in, ", ") + ")"
	if attrs != nil {
		s += " {" + strings.Join(attrs, ", ") + "}"
	}
	return s
}

// Record calls the op. The error says that the number of tensors is wrong, or is that of
// the first result which has one.
func (o *Op) Record(c *Call) ([]*lazy.Tensor, error) {
	if err := o.takes(len(c.X)); err != nil {
		return nil, err
	}
	ys := o.call(c)
	for _, y := range ys {
		if err := y.Err(); err != nil {
			return nil, err
		}
	}
	return ys, nil
}

// takes reports that n is not a number of tensors that the op takes.
func (o *Op) takes(n int) error {
	least, most := len(o.Operands), len(o.Operands)
	for least > 0 && o.Operands[least-1].Optional {
		least--
	}
	if least > 0 && o.Operands[least-1].Variadic {
		least, most = least-1, n
	}
	if n >= least && n <= max(least, most) {
		return nil
	}
	want := diag.Count(least, "tensor")
	switch {
	case most > least+1 && most == len(o.Operands):
		want = fmt.Sprintf("%d to %s", least, diag.Count(most, "tensor"))
	case most > len(o.Operands) || least < len(o.Operands) && o.Operands[least].Variadic:
		want += " or more"
	case most > least:
		want = fmt.Sprintf("%d or %s", least, diag.Count(most, "tensor"))
	}
	return fmt.Errorf("%s takes %s, got %d", o.Signature(), want, n)
}

// one and several are the results of calls.
func one(y *lazy.Tensor) []*lazy.Tensor         { return []*lazy.Tensor{y} }
func several(ys ...*lazy.Tensor) []*lazy.Tensor { return ys }

// given returns tensor i; nil if it has been left out.
func (c *Call) given(i int) *lazy.Tensor {
	if i < len(c.X) {
		return c.X[i]
	}
	return nil
}
