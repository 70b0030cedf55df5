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

// DotDims is the dimensions that a dot_general contracts and batches over.
type DotDims struct{ LHSBatch, RHSBatch, LHSContract, RHSContract []int64 }

// ParseDot reads a #stablehlo.dot<…>; fields that are missing are empty.
func ParseDot(a Attribute) (d DotDims, ok bool) {
	ok = fields(a, "stablehlo.dot", map[string]any{
		"lhs_batching_dimensions": &d.LHSBatch, "rhs_batching_dimensions": &d.RHSBatch,
		"lhs_contracting_dimensions": &d.LHSContract, "rhs_contracting_dimensions": &d.RHSContract,
	})
	return d, ok
}

// Attr returns the attribute, without the fields that are empty.
func (d DotDims) Attr() StructAttr {
	a := StructAttr{Name: "stablehlo.dot"}
	a.Fields.ints("lhs_batching_dimensions", d.LHSBatch)
	a.Fields.ints("rhs_batching_dimensions", d.RHSBatch)
	a.Fields.ints("lhs_contracting_dimensions", d.LHSContract)
	a.Fields.ints("rhs_contracting_dimensions", d.RHSContract)
	return a
}

// GatherDims is the dimension numbers of a gather.
type GatherDims struct {
	OffsetDims, CollapsedSliceDims                []int64
	OperandBatchingDims, StartIndicesBatchingDims []int64
	StartIndexMap                                 []int64
	IndexVectorDim                                int64
}

// ParseGather reads a #stablehlo.gather<…>; fields that are missing are empty.
func ParseGather(a Attribute) (g GatherDims, ok bool) {
	ok = fields(a, "stablehlo.gather", map[string]any{
		"offset_dims": &g.OffsetDims, "collapsed_slice_dims": &g.CollapsedSliceDims,
		"operand_batching_dims": &g.OperandBatchingDims, "start_indices_batching_dims": &g.StartIndicesBatchingDims,
		"start_index_map": &g.StartIndexMap, "index_vector_dim": &g.IndexVectorDim,
	})
	return g, ok
}

// Attr returns the attribute, without lists that are empty and a number that
// is 0.
func (g GatherDims) Attr() StructAttr {
	a := StructAttr{Name: "stablehlo.gather"}
	a.Fields.ints("offset_dims", g.OffsetDims)
	a.Fields.ints("collapsed_slice_dims", g.CollapsedSliceDims)
	a.Fields.ints("operand_batching_dims", g.OperandBatchingDims)
	a.Fields.ints("start_indices_batching_dims", g.StartIndicesBatchingDims)
	a.Fields.ints("start_index_map", g.StartIndexMap)
	a.Fields.int("index_vector_dim", g.IndexVectorDim)
	return a
}

// ScatterDims is the dimension numbers of a scatter.
type ScatterDims struct {
	UpdateWindowDims, InsertedWindowDims          []int64
	InputBatchingDims, ScatterIndicesBatchingDims []int64
	ScatterDimsToOperandDims                      []int64
	IndexVectorDim                                int64
}

// ParseScatter reads a #stablehlo.scatter<…>; fields that are missing are empty.
func ParseScatter(a Attribute) (s ScatterDims, ok bool) {
	ok = fields(a, "stablehlo.scatter", map[string]any{
		"update_window_dims": &s.UpdateWindowDims, "inserted_window_dims": &s.InsertedWindowDims,
		"input_batching_dims": &s.InputBatchingDims, "scatter_indices_batching_dims": &s.ScatterIndicesBatchingDims,
		"scatter_dims_to_operand_dims": &s.ScatterDimsToOperandDims, "index_vector_dim": &s.IndexVectorDim,
	})
	return s, ok
}

// Attr returns the attribute, without lists that are empty and a number that
// is 0.
func (s ScatterDims) Attr() StructAttr {
	a := StructAttr{Name: "stablehlo.scatter"}
	a.Fields.ints("update_window_dims", s.UpdateWindowDims)
	a.Fields.ints("inserted_window_dims", s.InsertedWindowDims)
	a.Fields.ints("input_batching_dims", s.InputBatchingDims)
	a.Fields.ints("scatter_indices_batching_dims", s.ScatterIndicesBatchingDims)
	a.Fields.ints("scatter_dims_to_operand_dims", s.ScatterDimsToOperandDims)
	a.Fields.int("index_vector_dim", s.IndexVectorDim)
	return a
}

func (d *Dict) ints(name string, v []int64) {
	if len(v) == 0 {
		return
	}
	a := make(ArrayAttr, len(v))
	for i, x := range v {
		a[i] = IntegerAttr{Value: x}
	}
	*d = append(*d, NamedAttr{name, a})
}

func (d *Dict) int(name string, v int64) {
	if v == 0 {
		return // as the dialect prints it
	}
	*d = append(*d, NamedAttr{name, IntegerAttr{Value: v}})
}

// fields fills in what the names point to, and reports whether a is the struct
// called name with no other fields and no field of another kind.
func fields(a Attribute, name string, into map[string]any) bool {
	s, ok := a.(StructAttr)
	if !ok || s.Name != name {
		return false
	}
	for _, f := range s.Fields {
		var good bool
		switch p := into[f.Name].(type) {
		case *[]int64:
			*p, good = Ints(f.Value)
		case *int64:
			*p, good = Int(f.Value)
		}
		if !good {
			return false
		}
	}
	return true
}
