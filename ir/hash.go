package ir

import (
	"math"
	"math/bits"

	"ltc/ir/types"
)

// The hashes below mix 64-bit words by a 64x64 to 128-bit multiplication, as
// wyhash does. They are for tables of one process: equal hashes are always
// followed by a comparison.

const seed = 0x9e3779b97f4a7c15

func mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v^0xa0761d6478bd642f, 0xe7037ed1a0b428db^v)
	return hi ^ lo
}

func mixString(h uint64, s string) uint64 {
	h = mix(h, uint64(len(s)))
	for i := range len(s) {
		h = mix(h, uint64(s[i]))
	}
	return h
}

func mixAttrs(h uint64, attrs []Attr) uint64 {
	for i := range attrs {
		a := &attrs[i]
		h = mix(h, uint64(a.Int))
		for _, v := range a.Ints {
			h = mix(h, uint64(v))
		}
		if a.Str != "" {
			h = mixString(h, a.Str)
		}
	}
	return h
}

func mixType(h uint64, t types.Type) uint64 {
	h = mix(h, uint64(t.DType)<<8|uint64(len(t.Shape)))
	for _, d := range t.Shape {
		h = mix(h, uint64(d))
	}
	return h
}

// hashNode hashes a node by the identity of its operands.
func hashNode(op Op, in []*Node, attrs []Attr, body *Composite) uint64 {
	h := mix(seed, uint64(op))
	for _, x := range in {
		h = mix(h, uint64(x.seq))
	}
	h = mixAttrs(h, attrs)
	if body != nil {
		h = body.hash(h)
	}
	return h
}

func (c *Composite) hash(h uint64) uint64 {
	h = mixString(h, c.Name)
	for _, p := range c.Params {
		h = mix(mix(mixString(h, p.Name), uint64(p.Int)), math.Float64bits(p.Float))
	}
	for _, g := range c.Graphs() {
		h = mix(h, g.hash)
	}
	return h
}
