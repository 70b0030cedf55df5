package reference

import (
	"fmt"
	"slices"

	"ltc/mlir"
)

// shapeRule tells the shapes of an op's results from its operands. It looks at
// no more than it needs: what else must hold is for the op's preparation to
// find, which gets the types that come of this.
type shapeRule func(op *mlir.Op, in []tensor) ([][]int, error)

// inferSecond is the rule of ops whose first operand may be a scalar.
func inferSecond(_ *mlir.Op, in []tensor) ([][]int, error) {
	if len(in) < 2 {
		return nil, fmt.Errorf("%d operands", len(in))
	}
	return shapesOf(in[1]), nil
}

// inferNormalized is the rule of batch norms: of the three results two have a
// number for each feature, as the second operand has.
func inferNormalized(_ *mlir.Op, in []tensor) ([][]int, error) {
	if len(in) < 2 {
		return nil, fmt.Errorf("%d operands", len(in))
	}
	return shapesOf(in[0], in[1], in[1]), nil
}

// inferShapes returns the shapes of an op's results.
func inferShapes(op *mlir.Op, in []tensor) ([][]int, error) {
	rule := opTable[op.Code].shape
	if rule == nil {
		return nil, fmt.Errorf("the operands do not tell the shape of the result: give its type without ?")
	}
	if len(in) == 0 {
		return nil, fmt.Errorf("no operands")
	}
	out, err := rule(op, in)
	if err == nil && len(out) != len(op.Results) {
		err = fmt.Errorf("%d operands for %d results", len(in), len(op.Results))
	}
	return out, err
}

func shapesOf(ts ...tensor) [][]int {
	var all [][]int
	for _, t := range ts {
		all = append(all, t.shape)
	}
	return all
}

func inferFirst(_ *mlir.Op, in []tensor) ([][]int, error) { return shapesOf(in[0]), nil }

// inferEach gives result i the shape of operand i.
func inferEach(op *mlir.Op, in []tensor) ([][]int, error) {
	return shapesOf(in[:min(len(in), len(op.Results))]...), nil
}

func inferAllToAll(op *mlir.Op, in []tensor) ([][]int, error) {
	count, err := intAttr(op.Attrs, "split_count", 1)
	split, err1 := intAttr(op.Attrs, "split_dimension", -1)
	concat, err2 := intAttr(op.Attrs, "concat_dimension", -1)
	if err := firstError(err, err1, err2); err != nil {
		return nil, err
	}
	var all [][]int
	for _, t := range in {
		if min(split, concat) < 0 || max(split, concat) >= len(t.shape) || count < 1 {
			return nil, fmt.Errorf("split_dimension = %d and concat_dimension = %d of %v", split, concat, t)
		}
		s := with(t.shape, split, t.shape[split]/count)
		all = append(all, with(s, concat, s[concat]*count))
	}
	return all, nil
}

func inferBitcast(op *mlir.Op, in []tensor) ([][]int, error) {
	shape, from, to := in[0].shape, in[0].dt.bits(), 0
	if t, ok := op.Results[0].Type.(*mlir.TensorType); ok {
		to = dtypeOf(t.Elem).bits()
	}
	switch {
	case to == 0 || from == 0:
		return nil, fmt.Errorf("%v becomes %v", in[0], op.Results[0].Type)
	case from > to:
		shape = append(slices.Clone(shape), from/to)
	case from < to && len(shape) > 0:
		shape = shape[:len(shape)-1]
	}
	return [][]int{shape}, nil
}

func inferBroadcast(op *mlir.Op, in []tensor) ([][]int, error) {
	sizes, err := ints(op.Attrs, "broadcast_sizes")
	return [][]int{slices.Concat(sizes, in[0].shape)}, err
}

func inferConcatenate(op *mlir.Op, in []tensor) ([][]int, error) {
	dim, err := dimension(op, "dimension", in[0])
	if err != nil {
		return nil, err
	}
	n := 0
	for _, t := range in {
		if len(t.shape) <= dim {
			return nil, fmt.Errorf("dimension = %d of %v", dim, t)
		}
		n += t.shape[dim]
	}
	return [][]int{with(in[0].shape, dim, n)}, nil
}

// dimension reads an attribute that names a dimension of t.
func dimension(op *mlir.Op, name string, t tensor) (int, error) {
	d, err := intAttr(op.Attrs, name, -1)
	if err == nil && (d < 0 || d >= len(t.shape)) {
		err = fmt.Errorf("%s = %d of %v", name, d, t)
	}
	return d, err
}

func inferDot(_ *mlir.Op, in []tensor) ([][]int, error) {
	if len(in) != 2 || len(in[0].shape) == 0 || len(in[1].shape) == 0 {
		return nil, fmt.Errorf("want two operands that are no scalars")
	}
	l, r := in[0].shape, in[1].shape
	return [][]int{slices.Concat(l[:len(l)-1], r[1:])}, nil
}

func inferDotGeneral(op *mlir.Op, in []tensor) ([][]int, error) {
	d, ok := mlir.ParseDot(op.Attrs.Get("dot_dimension_numbers"))
	if !ok || len(in) != 2 {
		return nil, fmt.Errorf("attribute dot_dimension_numbers: %v", op.Attrs.Get("dot_dimension_numbers"))
	}
	var out []int
	for _, x := range d.LHSBatch {
		if int(x) >= len(in[0].shape) {
			return nil, fmt.Errorf("dimension %d of %v", x, in[0])
		}
		out = append(out, in[0].shape[x])
	}
	rest := func(t tensor, batching, contracting []int64) {
		for i, n := range t.shape {
			if !slices.Contains(batching, int64(i)) && !slices.Contains(contracting, int64(i)) {
				out = append(out, n)
			}
		}
	}
	rest(in[0], d.LHSBatch, d.LHSContract)
	rest(in[1], d.RHSBatch, d.RHSContract)
	return [][]int{out}, nil
}

func inferDynamicSlice(op *mlir.Op, _ []tensor) ([][]int, error) {
	sizes, err := ints(op.Attrs, "slice_sizes")
	return [][]int{sizes}, err
}

// inferFFT: a real transform keeps the half of the last dimension that the
// other half follows from; the inverse of it brings that back.
func inferFFT(op *mlir.Op, in []tensor) ([][]int, error) {
	length, err := ints(op.Attrs, "fft_length")
	kind, _ := op.Attrs.Get("fft_type").(mlir.EnumAttr)
	shape := slices.Clone(in[0].shape)
	if err != nil || len(length) == 0 || len(shape) < len(length) {
		return nil, firstError(err, fmt.Errorf("fft_length %v of %v", length, in[0]))
	}
	switch n := length[len(length)-1]; kind.Value {
	case "RFFT":
		shape[len(shape)-1] = n/2 + 1
	case "IRFFT":
		shape[len(shape)-1] = n
	}
	return [][]int{shape}, nil
}

func inferGather(op *mlir.Op, in []tensor) ([][]int, error) {
	d, err := fields(op.Attrs, "dimension_numbers")
	sizes, err1 := ints(op.Attrs, "slice_sizes")
	offset, err2 := ints(d, "offset_dims")
	collapsed, err3 := ints(d, "collapsed_slice_dims")
	batching, err4 := ints(d, "operand_batching_dims")
	vector, err5 := intAttr(d, "index_vector_dim", 0)
	if err := firstError(err, err1, err2, err3, err4, err5); err != nil {
		return nil, err
	}
	var window, batch []int
	for i, n := range sizes {
		if !slices.Contains(collapsed, i) && !slices.Contains(batching, i) {
			window = append(window, n)
		}
	}
	for i, n := range in[1].shape {
		if i != vector {
			batch = append(batch, n)
		}
	}
	out := make([]int, len(window)+len(batch))
	for i := range out {
		from := &batch
		if slices.Contains(offset, i) {
			from = &window
		}
		if len(*from) == 0 {
			return nil, fmt.Errorf("offset_dims %v for slice_sizes %v and indices %v", offset, sizes, in[1])
		}
		out[i], *from = (*from)[0], (*from)[1:]
	}
	return [][]int{out}, nil
}

func inferPad(op *mlir.Op, in []tensor) ([][]int, error) {
	low, err := ints(op.Attrs, "edge_padding_low")
	high, err1 := ints(op.Attrs, "edge_padding_high")
	interior, err2 := ints(op.Attrs, "interior_padding")
	if err := firstError(err, err1, err2); err != nil {
		return nil, err
	}
	rank := len(in[0].shape)
	if len(low) != rank || len(high) != rank || len(interior) != rank {
		return nil, fmt.Errorf("padding of %d, %d and %d dimensions for rank %d", len(low), len(high), len(interior), rank)
	}
	out := make([]int, rank)
	for i, n := range in[0].shape {
		out[i] = low[i] + n + max(n-1, 0)*interior[i] + high[i]
	}
	return [][]int{out}, nil
}

func inferReduce(op *mlir.Op, in []tensor) ([][]int, error) {
	dims, err := ints(op.Attrs, "dimensions")
	if err != nil {
		return nil, err
	}
	var all [][]int
	for _, t := range in[:len(in)/2] {
		var kept []int
		for i, n := range t.shape {
			if !slices.Contains(dims, i) {
				kept = append(kept, n)
			}
		}
		all = append(all, kept)
	}
	return all, nil
}

// windowCounts returns how many windows lie over each of the dimensions.
func windowCounts(op *mlir.Op, names windowAttrs, in, size []int) ([]int, error) {
	lists := [3][]int{}
	for i, name := range []string{names.stride, names.base, names.dilation} {
		v, err := ints(op.Attrs, name)
		if err != nil {
			return nil, err
		}
		if len(v) == 0 {
			v = slices.Repeat([]int{1}, len(in))
		}
		lists[i] = v
	}
	padding, err := ints(op.Attrs, "padding")
	if err != nil {
		return nil, err
	}
	if len(padding) == 0 {
		padding = make([]int, 2*len(in))
	}
	out := make([]int, len(in))
	for i, n := range in {
		if len(size) != len(in) || len(padding) != 2*len(in) || min(len(lists[0]), len(lists[1]), len(lists[2])) <= i || lists[0][i] < 1 {
			return nil, fmt.Errorf("the windows' attributes are not of rank %d", len(in))
		}
		d := windowDim{in: n, size: size[i], stride: lists[0][i], base: lists[1][i], dilation: lists[2][i], low: padding[2*i], high: padding[2*i+1]}
		_, count, ok := d.count()
		if !ok {
			return nil, fmt.Errorf("dimension %d is too large", i)
		}
		out[i] = count
	}
	return out, nil
}

func inferReduceWindow(op *mlir.Op, in []tensor) ([][]int, error) {
	size, err := ints(op.Attrs, "window_dimensions")
	if err != nil {
		return nil, err
	}
	var all [][]int
	for _, t := range in[:len(in)/2] {
		out, err := windowCounts(op, windowAttrs{"window_strides", "base_dilations", "window_dilations"}, t.shape, size)
		if err != nil {
			return nil, err
		}
		all = append(all, out)
	}
	return all, nil
}

func inferConvolution(op *mlir.Op, in []tensor) ([][]int, error) {
	if len(in) != 2 || len(in[0].shape) != len(in[1].shape) {
		return nil, fmt.Errorf("want two operands of one rank")
	}
	l, r := in[0].shape, in[1].shape
	d, err := parseConvDims(op.Attrs.Get("dimension_numbers"), len(l))
	if err != nil {
		return nil, err
	}
	groups, err := intAttr(op.Attrs, "batch_group_count", 1)
	spatial, err1 := windowCounts(op, windowAttrs{"window_strides", "lhs_dilation", "rhs_dilation"}, pick(l, d[0].spatial), pick(r, d[1].spatial))
	if err := firstError(err, err1); err != nil {
		return nil, err
	}
	out := make([]int, len(l))
	out[d[2].first], out[d[2].second] = l[d[0].first]/max(groups, 1), r[d[1].second]
	for i, k := range d[2].spatial {
		out[k] = spatial[i]
	}
	return [][]int{out}, nil
}

// inferReshape finds the one size that the text leaves open.
func inferReshape(op *mlir.Op, in []tensor) ([][]int, error) {
	t, ok := op.Results[0].Type.(*mlir.TensorType)
	if !ok {
		return nil, fmt.Errorf("the result is %v", op.Results[0].Type)
	}
	shape, known, open := make([]int, len(t.Shape)), 1, -1
	for i, n := range t.Shape {
		switch {
		case n != mlir.Dynamic:
			shape[i], known = int(n), product(known, int(n))
		case open >= 0:
			return nil, fmt.Errorf("the operand does not tell two sizes of %v", t)
		default:
			open = i
		}
	}
	if open >= 0 && known > 0 {
		shape[open] = in[0].n / known
	}
	return [][]int{shape}, nil
}

func inferSlice(op *mlir.Op, in []tensor) ([][]int, error) {
	start, err := ints(op.Attrs, "start_indices")
	limit, err1 := ints(op.Attrs, "limit_indices")
	step, err2 := ints(op.Attrs, "strides")
	if err := firstError(err, err1, err2); err != nil {
		return nil, err
	}
	var out []int
	for i, s := range step {
		if s < 1 || i >= len(start) || i >= len(limit) || limit[i] < start[i] {
			return nil, fmt.Errorf("slice from %v to %v by %v of %v", start, limit, step, in[0])
		}
		out = append(out, quotientUp(limit[i]-start[i], s))
	}
	return [][]int{out}, nil
}

func inferIndexSelect(op *mlir.Op, in []tensor) ([][]int, error) {
	dim, err := dimension(op, "dim", in[0])
	batch, err1 := intAttr(op.Attrs, "batch_dims", 0)
	if err := firstError(err, err1); err != nil {
		return nil, err
	}
	if len(in) != 2 || batch < 0 || batch > len(in[1].shape) {
		return nil, fmt.Errorf("batch_dims = %d", batch)
	}
	x := in[0].shape
	return [][]int{slices.Concat(x[:dim], in[1].shape[batch:], x[dim+1:])}, nil
}

func inferTranspose(op *mlir.Op, in []tensor) ([][]int, error) {
	perm, err := axes(op.Attrs, "permutation", len(in[0].shape))
	return [][]int{pick(in[0].shape, perm)}, err
}
