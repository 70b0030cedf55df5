package dims

import "fmt"

// Guard is what has to hold of sizes for a program that was made for expressions: what its
// values of symbols, within their bounds, do not tell.
type Guard struct {
	Rule Rule
	A, B int64
}

// Rule is the rule of a guard.
type Rule uint8

// The rules.
const (
	Equal    Rule = iota // A = B
	NotMore              // A ≤ B
	Multiple             // A is a multiple of B
)

// Size returns the expression by which [Guard.Holds] tells whether the rule holds.
func (g Guard) Size() int64 {
	if g.Rule == Multiple {
		return Mod(g.A, g.B)
	}
	return Sub(g.B, g.A)
}

// Holds reports whether the rule holds where Size is n.
func (g Guard) Holds(n int64) bool {
	if g.Rule == NotMore {
		return n >= 0
	}
	return n == 0
}

// String returns the rule as users read it.
func (g Guard) String() string {
	between := [...]string{" should be ", " should be at most ", " should be a multiple of "}[g.Rule]
	return String(g.A) + between + String(g.B)
}

// Prove returns whether a rule surely holds and, if it does not, whether it can.
func (g Guard) Prove() (holds, can bool) {
	n := g.Size()
	lo, hi := Bounds(n)
	if g.Rule == NotMore {
		return lo >= 0, hi >= 0
	}
	if g.Rule == Multiple && !IsExpr(n) {
		return n == 0, n == 0
	}
	return n == 0, lo <= 0 && hi >= 0
}

// mostDivisor is the largest number that a symbol is tried to be a multiple of.
const mostDivisor = 64

// Multiple returns a symbol of the sizes for which the rule holds if the symbol is a multiple of a number:
// n, which is 2*(n/2), where the rule is that n equals 2*floor(n / 2). The symbol is to become the size to,
// of a symbol of its own. The least number comes first, of the symbols that usable allows.
func (g Guard) Multiple(usable func(symbol int64) bool) (symbol, to int64, ok bool) {
	for by := int64(2); by <= mostDivisor; by++ {
		for _, s := range Symbols(g.A, g.B) {
			name, lo, hi, _ := SymbolOf(s)
			if lo, hi = CeilDiv(lo, by), Div(hi, by); lo >= hi || !usable(s) {
				continue
			}
			to := Mul(by, Symbol(fmt.Sprintf("(%s/%d)", name, by), lo, hi))
			if holds, _ := (Guard{g.Rule, Substitute(g.A, s, to), Substitute(g.B, s, to)}).Prove(); holds {
				return s, to, true
			}
		}
	}
	return 0, 0, false
}
