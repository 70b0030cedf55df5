package ptxsim

import (
	"fmt"
	"math/bits"
)

// table says what instructions do to the bits of their operands, by opcode; a
// predicate is 0 or 1. Results have no bits above their type.
type table struct {
	unary   map[string]func(a uint64) uint64
	binary  map[string]func(a, b uint64) uint64
	ternary map[string]func(a, b, c uint64) uint64
}

var ops = newTable()

func newTable() *table {
	o := &table{map[string]func(a uint64) uint64{}, map[string]func(a, b uint64) uint64{}, map[string]func(a, b, c uint64) uint64{}}
	o.integers()
	o.floats()
	o.conversions()
	return o
}

// signed returns the integer that the lowest n bits are.
func signed(a uint64, n int) int64 { return int64(a) << (64 - n) >> (64 - n) }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (o *table) integers() {
	for _, n := range []int{32, 64} {
		m := mask(n)
		name := map[int]string{32: "32", 64: "64"}[n]
		for _, t := range []string{"s", "u"} {
			t += name
			o.binary["add."+t] = func(a, b uint64) uint64 { return (a + b) & m }
			o.binary["sub."+t] = func(a, b uint64) uint64 { return (a - b) & m }
			o.binary["mul.lo."+t] = func(a, b uint64) uint64 { return a * b & m }
			o.ternary["mad.lo."+t] = func(a, b, c uint64) uint64 { return (a*b + c) & m }
			o.setp(t, func(a, b uint64) (bool, bool, bool) { return compare(t, a, b, n) })
			for _, pick := range []string{"min", "max"} {
				o.binary[pick+"."+t] = func(a, b uint64) uint64 {
					if less, _, _ := compare(t, a, b, n); less == (pick == "min") {
						return a & m
					}
					return b & m
				}
			}
		}
		s, u, b := "s"+name, "u"+name, "b"+name
		o.unary["neg."+s] = func(a uint64) uint64 { return -a & m }
		o.unary["abs."+s] = func(a uint64) uint64 {
			if signed(a, n) < 0 {
				return -a & m
			}
			return a & m
		}
		o.binary["div."+u], o.binary["rem."+u] = func(a, b uint64) uint64 { return quotient(a&m, b&m, m) }, func(a, b uint64) uint64 {
			if b&m == 0 {
				return a & m
			}
			return a & m % (b & m)
		}
		o.binary["div."+s], o.binary["rem."+s] = func(a, b uint64) uint64 {
			if b&m == 0 {
				return m
			}
			return uint64(signed(a, n)/signed(b, n)) & m
		}, func(a, b uint64) uint64 {
			if b&m == 0 {
				return a & m
			}
			return uint64(signed(a, n)%signed(b, n)) & m
		}
		o.unary["not."+b] = func(a uint64) uint64 { return ^a & m }
		o.binary["shl."+b] = func(a, b uint64) uint64 { return a << min(b&mask(32), 64) & m }
		o.binary["shr."+u] = func(a, b uint64) uint64 { return a & m >> min(b&mask(32), 64) }
		o.binary["shr."+s] = func(a, b uint64) uint64 { return uint64(signed(a, n)>>min(b&mask(32), 63)) & m }
		o.unary["clz."+b] = func(a uint64) uint64 { return uint64(bits.LeadingZeros64(a&m) - (64 - n)) }
		o.unary["popc."+b] = func(a uint64) uint64 { return uint64(bits.OnesCount64(a & m)) }
		o.logic(b, m)
		o.ternary["selp."+b] = func(a, b, p uint64) uint64 {
			if p != 0 {
				return a & m
			}
			return b & m
		}
	}
	o.binary["mul.hi.u32"] = func(a, b uint64) uint64 { return a & mask(32) * (b & mask(32)) >> 32 }
	o.binary["mul.hi.u64"] = func(a, b uint64) uint64 { high, _ := bits.Mul64(a, b); return high }
	for _, n := range []int{16, 32, 64} {
		o.binary[fmt.Sprintf("setp.eq.b%d", n)] = func(a, b uint64) uint64 { return truth((a^b)&mask(n) == 0) }
		o.binary[fmt.Sprintf("setp.ne.b%d", n)] = func(a, b uint64) uint64 { return truth((a^b)&mask(n) != 0) }
	}
	o.logic("pred", 1)
	o.unary["not.pred"] = func(a uint64) uint64 { return a ^ 1 }
	o.binary["mul.wide.u32"] = func(a, b uint64) uint64 { return a & mask(32) * (b & mask(32)) }
	o.binary["mul.wide.s32"] = func(a, b uint64) uint64 { return uint64(signed(a, 32) * signed(b, 32)) }
}

// quotient is what the hardware gives: all ones where there is none.
func quotient(a, b, m uint64) uint64 {
	if b == 0 {
		return m
	}
	return a / b
}

func (o *table) logic(t string, m uint64) {
	o.binary["and."+t] = func(a, b uint64) uint64 { return a & b & m }
	o.binary["or."+t] = func(a, b uint64) uint64 { return (a | b) & m }
	o.binary["xor."+t] = func(a, b uint64) uint64 { return (a ^ b) & m }
}

// compare returns whether a is less than b, they are equal, and they have an
// order.
func compare(t string, a, b uint64, n int) (less, equal, ordered bool) {
	if t[0] == 's' {
		return signed(a, n) < signed(b, n), signed(a, n) == signed(b, n), true
	}
	return a&mask(n) < b&mask(n), a&mask(n) == b&mask(n), true
}

// setp adds the comparisons of a type. Those whose name ends with u also hold
// where there is no order.
func (o *table) setp(t string, cmp func(a, b uint64) (less, equal, ordered bool)) {
	for name, holds := range map[string]func(less, equal bool) bool{
		"eq": func(_, e bool) bool { return e }, "ne": func(_, e bool) bool { return !e },
		"lt": func(l, _ bool) bool { return l }, "le": func(l, e bool) bool { return l || e },
		"gt": func(l, e bool) bool { return !l && !e }, "ge": func(l, _ bool) bool { return !l },
	} {
		o.binary["setp."+name+"."+t] = func(a, b uint64) uint64 {
			l, e, known := cmp(a, b)
			return truth(known && holds(l, e))
		}
		if t[0] == 'f' {
			o.binary["setp."+name+"u."+t] = func(a, b uint64) uint64 {
				l, e, known := cmp(a, b)
				return truth(!known || holds(l, e))
			}
		}
	}
	if t[0] == 'f' {
		o.binary["setp.nan."+t] = func(a, b uint64) uint64 {
			_, _, known := cmp(a, b)
			return truth(!known)
		}
	}
}
