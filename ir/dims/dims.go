// Package dims has sizes that are expressions. A size is an integer: a number, or, where it is
// beyond all numbers that sizes can be, the name of an expression in symbols such as batch.
// Its central functions are [Symbol], which makes the expression of one symbol, and [Add],
// [Mul] and their kin, which compute with sizes of either kind. Equal expressions have one name,
// so == compares sizes. A program without symbols has numbers alone and pays one comparison.
//
// Expressions are polynomials with integer coefficients over symbols, floor divisions, minima and
// maxima. Each symbol has bounds, from which the bounds of expressions follow.
//
// The names are the process's: at most [Most] expressions, whose texts have a bounded length
// together. None is forgotten, and programs that have the same names for symbols share them.
//
// The package imports only the standard library.
package dims

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
)

// Int is a type of integers that sizes are kept in: those of shapes and of kernels.
type Int interface{ ~int | ~int64 }

// Largest is the largest number that an expression may be, and the least, with its sign changed,
// that a number may be.
const Largest = 1 << 56

// Most is how many expressions a process can have. A program has some hundreds.
const Most = 1 << 20

// Names lie apart and have bits of all weights, so that a sum or a product of names, which only a
// mistake computes, is no name itself, and no small number.
const (
	firstName = math.MinInt64 + 1<<58 + 0x5bd1e9955bd1e9 // beyond -Largest
	nameStep  = 1_000_003
)

// Unknown is a size that nobody knows, which texts write `?`. Operations on it give it again.
const Unknown = math.MinInt64

// ErrTooLarge is that of sizes beyond [Largest], and of expressions of which a process has too many.
var ErrTooLarge = errors.New("a size is too large")

// tooLarge is the size that operations give instead; operations on it give it again.
const tooLarge = firstName - nameStep

// IsExpr reports whether d names an expression: it is no number. [Check] tells whether there
// is such an expression; if there is none, operations on d give what [Check] refuses, too.
func IsExpr[N Int](d N) bool { return int64(d) < -Largest && int64(d) != Unknown }

// mostFactor is the largest number that a name is taken to be multiplied or divided by.
const mostFactor = 8

// FromName reports whether x is the name of an expression that Go code has taken for a number, or is
// computed from it. That is a small multiple or part of a name or of the product of two, or the inverse of
// one, of either sign, and possibly rounded to f32. Other numbers are practically never among these: the
// names take a part in 10⁷ of their binade.
func FromName(x float64) bool {
	const name = -firstName
	if x = math.Abs(x); x > mostFactor/float64(name)*2 && x < float64(name)/mostFactor/2 || x == 0 || x > math.MaxFloat64 {
		return false
	}
	return smallRatio(x/name) || smallRatio(x*name) || smallRatio(x/name/name) || smallRatio(x*name*name)
}

// smallRatio reports whether r is p/q for some p and q up to mostFactor, but for the distance between names
// and the rounding to f32.
func smallRatio(r float64) bool {
	const near = 1e-6
	for q := 1.0; q <= mostFactor; q++ {
		p := math.Round(r * q)
		if p >= 1 && p <= mostFactor && math.Abs(r*q-p) < near*p {
			return true
		}
	}
	return false
}

// HasExpr reports whether one of the sizes is an expression.
func HasExpr[N Int](ds ...N) bool {
	for _, d := range ds {
		if IsExpr(d) {
			return true
		}
	}
	return false
}

// Static reports whether all sizes are numbers.
func Static[N Int](ds []N) bool {
	for _, d := range ds {
		if int64(d) < -Largest {
			return false
		}
	}
	return true
}

// Check returns an error unless d is a number or names an expression. The error wraps
// [ErrTooLarge] where an operation had a result that no size can be.
func Check[N Int](d N) error {
	switch {
	case int64(d) == tooLarge:
		return fmt.Errorf("%w, or SizeDiv divides by 0", ErrTooLarge)
	case int64(d) > Largest, int64(d) < -Largest && table.at(int64(d)) == nil:
		return fmt.Errorf("%d is no size: compute with sizes that are open by SizeAdd, SizeSub, SizeMul and SizeDiv, not by operators of Go", int64(d))
	}
	return nil
}

// Bounds returns the least and the largest number that d can be.
func Bounds[N Int](d N) (lo, hi N) {
	if int64(d) >= -Largest {
		return d, d
	}
	if p := table.at(int64(d)); p != nil {
		return N(p.lo), N(p.hi)
	}
	return -Largest, Largest
}

// String returns d as users read it: 12, batch, 4*batch + 1, floor(n / 2).
func String[N Int](d N) string {
	switch {
	case int64(d) == Unknown:
		return "?"
	case int64(d) == tooLarge:
		return "too large"
	}
	if p := table.at(int64(d)); p != nil {
		return p.text
	}
	return strconv.FormatInt(int64(d), 10)
}

// SymbolOf returns the name and the bounds of the symbol that d is; false if it is none.
func SymbolOf[N Int](d N) (name string, lo, hi int64, ok bool) {
	if p := table.at(int64(d)); p != nil {
		if a := p.atom(); a != nil && a.isSymbol() {
			return a.name, a.lo, a.hi, true
		}
	}
	return "", 0, 0, false
}

// Scaled returns the symbol that d is a positive number times; false if it is nothing of that kind.
func Scaled[N Int](d N) (by, symbol N, ok bool) {
	p := table.at(int64(d))
	if p == nil || len(p.terms) != 1 || p.terms[0].coef < 1 || len(p.terms[0].atoms) != 1 || !p.terms[0].atoms[0].isSymbol() {
		return 0, 0, false
	}
	return N(p.terms[0].coef), N(table.name(p.terms[0].atoms[0].poly())), true
}

// DependsOn reports whether d is an expression in a symbol.
func DependsOn[N Int](d, symbol N) bool {
	return slices.Contains(Symbols(d), symbol)
}

// Symbols returns the symbols that sizes depend on, in order of their first appearance.
func Symbols[N Int](ds ...N) []N {
	var all []N
	seen := map[*atom]bool{}
	var visit func(p *poly)
	visit = func(p *poly) {
		for _, t := range p.terms {
			for _, a := range t.atoms {
				switch {
				case seen[a]:
				case a.isSymbol():
					all = append(all, N(table.name(a.poly())))
				default:
					visit(a.a)
					visit(a.b)
				}
				seen[a] = true
			}
		}
	}
	for _, d := range ds {
		if p := table.at(int64(d)); p != nil {
			visit(p)
		}
	}
	return all
}

// names are the expressions of the process.
type names struct {
	sync.RWMutex
	polys []*poly          // by place of the name; nil: the name is not used
	by    map[string]int64 // name by key
	atoms map[string]*atom
	bytes int // of the keys
	most  int // of names, and of atoms; the keys have at most 64 bytes for each
}

func newNames(most int) *names {
	return &names{by: map[string]int64{}, atoms: map[string]*atom{}, most: most}
}

// full reports whether there is no place for a key behind some others.
func (t *names) full(others int, key string) bool {
	return others == t.most || len(key) > longKey || t.bytes+len(key) > 64*t.most
}

var table = newNames(Most)

// at returns the expression that a name is of; nil if there is none.
func (t *names) at(name int64) *poly {
	if name >= -Largest {
		return nil
	}
	i := name - firstName
	t.RLock()
	defer t.RUnlock()
	if i < 0 || i%nameStep != 0 || i/nameStep >= int64(len(t.polys)) {
		return nil
	}
	return t.polys[i/nameStep]
}

// name returns the size that p is: a number where p is constant, else its name.
func (t *names) name(p *poly) int64 {
	if n, ok := p.constant(); ok {
		return n
	}
	key := p.key()
	t.RLock()
	name, ok := t.by[key]
	t.RUnlock()
	if ok {
		return name
	}
	t.Lock()
	defer t.Unlock()
	if name, ok := t.by[key]; ok {
		return name
	}
	if t.full(len(t.by), key) {
		return tooLarge
	}
	t.bytes += len(key)
	p.lo, p.hi = p.bounds()
	p.text = p.String()
	name = firstName + int64(len(t.polys))*nameStep
	for square := name * name; square >= -Largest && square <= Largest; square = name * name {
		t.polys, name = append(t.polys, nil), name+nameStep // what Go's operators make of such a name looks like a size
	}
	t.polys = append(t.polys, p)
	t.by[key] = name
	return name
}

// atom returns the one atom that equals a, which has all but its key and text.
func (t *names) atom(a *atom) *atom {
	a.describe()
	t.Lock()
	defer t.Unlock()
	if same := t.atoms[a.key]; same != nil {
		return same
	}
	if !t.full(len(t.atoms), a.key) {
		t.atoms[a.key] = a
		t.bytes += len(a.key)
	}
	return a
}

// polyOf returns d as a polynomial; false if it is too large, or no size.
func polyOf(d int64) (*poly, bool) {
	if !IsExpr(d) {
		return constant(d), true
	}
	p := table.at(d)
	return p, p != nil
}
