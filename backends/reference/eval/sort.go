package eval

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/soa"
	"ltc/stablehlo"
)

// prepareSort sorts slices along one dimension of all operands together. The
// order is always stable; of a comparator that is none, some order comes out.
func prepareSort(b *builder, o *site) error {
	dim, err := sortedDim(o)
	if err != nil {
		return err
	}
	n, shape := len(o.in), o.in[0].shape
	r := &comparedSort{site: o, length: shape[dim], step: soa.Dense(shape)[dim], args: make([]int, 2*n), results: make([]int, n)}
	if o.out[0].n == 0 {
		r.length = 0 // the dimension may be larger than any memory
	}
	r.order = b.scratch(o, 16*r.length)
	scalars := make([]tensor, 2*n)
	for i, in := range o.in {
		r.results[i] = b.result(o, i)
		for k := 2 * i; k < 2*i+2; k++ {
			r.args[k], scalars[k] = b.pointer(o), in.element()
		}
	}
	if r.less, err = b.region(o, 0, r.args, scalars); err != nil {
		return err
	}
	if o.out[0].n == 0 {
		return nil
	}
	others := slices.Clone(shape)
	others[dim] = 1
	starts, err := b.offsets(others, soa.Dense(shape))
	if err != nil {
		return err
	}
	b.emitBlocks(loops.Times(o.out[0].n, bits.Len(uint(r.length))), func(f *frame) error {
		for _, start := range starts {
			if err := r.row(f, start); err != nil {
				return err
			}
		}
		return nil
	}, r.less)
	return nil
}

// sortedDim returns the dimension that a sort is along, if its operands have it and its
// results are of the operands' types.
func sortedDim(o *site) (int, error) {
	shape := o.in[0].shape
	dim := -1
	if a := o.op.Attrs.Get("dimension"); a != nil {
		dim = int(stablehlo.AsSort(o.op).Dimension())
	}
	if dim < 0 {
		dim += len(shape)
	}
	if dim < 0 || dim >= len(shape) {
		return 0, fmt.Errorf("dimension = %d for operands of rank %d", dim, len(shape))
	}
	for i, in := range o.in {
		if !in.tensor.equal(o.out[i]) {
			return 0, fmt.Errorf("operand %d is %v with result %v, operand 0 %v", i, in.tensor, o.out[i], o.in[0].tensor)
		}
	}
	return dim, nil
}

// comparedSort is a sort of rows that lie step elements apart.
type comparedSort struct {
	*site
	length, step int
	order        int   // where the rows' orders are made: 2·length numbers
	args         []int // the comparator's, two of each operand
	results      []int
	less         *block
}

// row sorts the row of every operand that begins at an element.
func (r *comparedSort) row(f *frame, start int) error {
	perm, temp := at[int](f, r.order, 2*r.length)[:r.length], at[int](f, r.order, 2*r.length)[r.length:]
	before := func(x, y int) (bool, error) {
		for i, in := range r.in {
			size := in.dt.Size()
			f.p[r.args[2*i]] = unsafe.Add(f.p[in.slot], (start+x*r.step)*size)
			f.p[r.args[2*i+1]] = unsafe.Add(f.p[in.slot], (start+y*r.step)*size)
		}
		err := f.exec(r.less.steps)
		return *(*uint8)(f.p[r.less.results[0]]) != 0, err
	}
	for i := range perm {
		if perm[i] = i; i%loops.Tank == 0 {
			if err := f.stop(loops.Tank); err != nil {
				return err
			}
		}
	}
	if err := mergeSort(perm, temp, before); err != nil {
		return err
	}
	if err := f.stop(r.length); err != nil {
		return err
	}
	for i, in := range r.in {
		size := in.dt.Size()
		for k, x := range perm {
			loops.CopyBytes(unsafe.Add(f.p[r.results[i]], (start+k*r.step)*size), unsafe.Add(f.p[in.slot], (start+x*r.step)*size), size)
		}
	}
	return nil
}

// mergeSort sorts perm stably. Each comparison puts one element in its place,
// so it ends whatever before answers.
func mergeSort(perm, temp []int, before func(x, y int) (bool, error)) error {
	if len(perm) < 2 {
		return nil
	}
	m := len(perm) / 2
	if err := firstError(mergeSort(perm[:m], temp, before), mergeSort(perm[m:], temp, before)); err != nil {
		return err
	}
	left, right, k := temp[:copy(temp, perm[:m])], perm[m:], 0
	for ; len(left) > 0 && len(right) > 0; k++ {
		yes, err := before(right[0], left[0])
		if err != nil {
			return err
		}
		if yes {
			perm[k], right = right[0], right[1:]
		} else {
			perm[k], left = left[0], left[1:]
		}
	}
	copy(perm[k:], left)
	return nil
}
