package dims

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
