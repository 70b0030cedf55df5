package program

import (
	"hash/maphash"
	"slices"

	"ltc/mlir"
)

// hasher sums up what must be the same in equal ops.
type hasher struct {
	seed maphash.Seed
	sum  uint64
}

func (h *hasher) add(x uint64)    { h.sum = (h.sum^x)*0x9E3779B97F4A7C15 + h.sum>>29 }
func (h *hasher) string(s string) { h.add(maphash.String(h.seed, s)) }

// dict adds a dictionary, whatever its order.
func (h *hasher) dict(d mlir.Dict) {
	all := uint64(len(d))
	for _, e := range d {
		one := hasher{seed: h.seed, sum: maphash.String(h.seed, e.Name)}
		one.attr(e.Value)
		all += one.sum
	}
	h.add(all)
}

func (h *hasher) attr(a mlir.Attribute) {
	switch a := a.(type) {
	case *mlir.DenseAttr:
		h.string(a.Literal)
		h.string(a.Resource)
		h.typ(a.Type)
	case mlir.DenseArrayAttr:
		for _, x := range a.Ints {
			h.add(uint64(x))
		}
	case mlir.IntegerAttr:
		h.add(uint64(a.Value))
	case mlir.StringAttr:
		h.string(string(a))
	case mlir.EnumAttr:
		h.string(a.Value)
	case mlir.ArrayAttr:
		for _, e := range a {
			h.attr(e)
		}
	case mlir.DictAttr:
		h.dict(mlir.Dict(a))
	case mlir.StructAttr:
		h.dict(a.Fields)
	default: // what is equal hashes equal
	}
}

func (h *hasher) typ(t mlir.Type) {
	x, ok := t.(*mlir.TensorType)
	if !ok {
		return
	}
	for _, d := range x.Shape {
		h.add(uint64(d))
	}
	switch e := x.Elem.(type) {
	case mlir.IntegerType:
		h.add(uint64(e.Width)<<2 | uint64(e.Sign))
	case mlir.FloatType:
		h.string(e.Name)
	}
}

// SameDict reports whether two dictionaries have the same attributes, in any order.
func SameDict(a, b mlir.Dict) bool {
	if len(a) != len(b) {
		return false
	}
	for _, e := range a {
		if x := b.Get(e.Name); x == nil || !sameAttr(e.Value, x) {
			return false
		}
	}
	return true
}

func sameAttr(a, b mlir.Attribute) bool {
	switch a := a.(type) {
	case *mlir.DenseAttr:
		b, ok := b.(*mlir.DenseAttr)
		return ok && (a == b || a.Literal == b.Literal && a.Resource == b.Resource && mlir.SameType(a.Type, b.Type))
	case mlir.DenseArrayAttr:
		b, ok := b.(mlir.DenseArrayAttr)
		return ok && a.Elem == b.Elem && slices.Equal(a.Ints, b.Ints) && slices.Equal(a.Texts, b.Texts)
	case mlir.StringAttr, mlir.EnumAttr, mlir.BoolAttr, mlir.UnitAttr, mlir.SymbolAttr:
		return a == b
	case mlir.ArrayAttr:
		b, ok := b.(mlir.ArrayAttr)
		return ok && slices.EqualFunc(a, b, sameAttr)
	case mlir.DictAttr:
		b, ok := b.(mlir.DictAttr)
		return ok && SameDict(mlir.Dict(a), mlir.Dict(b))
	case mlir.StructAttr:
		b, ok := b.(mlir.StructAttr)
		return ok && a.Name == b.Name && SameDict(a.Fields, b.Fields)
	}
	return a.String() == b.String()
}
