package mlir

// Ints returns the integers of a DenseArrayAttr, of an ArrayAttr of integers,
// or of a dense literal of integers.
func Ints(a Attribute) ([]int64, bool) {
	switch a := a.(type) {
	case DenseArrayAttr:
		return a.Ints, a.Texts == nil
	case ArrayAttr:
		v := make([]int64, len(a))
		for i, e := range a {
			n, ok := e.(IntegerAttr)
			if !ok {
				return nil, false
			}
			v[i] = n.Value
		}
		return v, true
	case *DenseAttr:
		return denseInts(a)
	}
	return nil, false
}

func denseInts(a *DenseAttr) ([]int64, bool) {
	t, ok := a.Type.Elem.(IntegerType)
	if _, index := a.Type.Elem.(IndexType); index {
		t, ok = I64, true
	}
	if !ok {
		return nil, false
	}
	data, splat, err := a.Decode()
	if err != nil {
		return nil, false
	}
	size := elementSize(t)
	n := len(data) / size
	if splat {
		if a.Type.Elements() > 1<<20 {
			return nil, false // nothing that lists dimensions is so long
		}
		n = int(a.Type.Elements())
	}
	v := make([]int64, n)
	for i := range v {
		e := data
		if !splat {
			e = data[i*size:]
		}
		x := uint64(0)
		for k := range size {
			x |= uint64(e[k]) << (8 * k)
		}
		if shift := 64 - 8*size; t.Sign == Unsigned {
			v[i] = int64(x)
		} else {
			v[i] = int64(x<<shift) >> shift
		}
	}
	return v, true
}

// Int returns the value of an integer attribute.
func Int(a Attribute) (int64, bool) {
	n, ok := a.(IntegerAttr)
	return n.Value, ok
}

// Enum returns the value of an enum attribute, such as LT; "" if it is none.
func Enum(a Attribute) string {
	e, _ := a.(EnumAttr)
	return e.Value
}

// Flag reports whether an attribute is true; one that is only named is, one
// that is missing is not.
func Flag(a Attribute) bool {
	switch a := a.(type) {
	case BoolAttr:
		return bool(a)
	case UnitAttr:
		return true
	}
	return false
}
