package reference

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"ltc/soa"
)

// prepareSort sorts slices along one dimension of all operands together. The
// order is always stable; of a comparator that is none, some order comes out.
func prepareSort(b *builder, o *site) error {
	n := len(o.in)
	if n == 0 || len(o.out) != n {
		return fmt.Errorf("%d operands and %d results, want as many of each", n, len(o.out))
	}
	shape := o.in[0].shape
	dim, err := intAttr(o.op.Attrs, "dimension", -1)
	if err != nil {
		return err
	}
	if dim < 0 {
		dim += len(shape)
	}
	if dim < 0 || dim >= len(shape) {
		return fmt.Errorf("dimension = %d for operands of rank %d", dim, len(shape))
	}
	length, strides := shape[dim], soa.Dense(shape)
	if o.out[0].n == 0 {
		length = 0 // the dimension may be larger than any memory
	}
	order := b.scratch(o, 16*length)
	args, scalars, results := make([]int, 2*n), make([]tensor, 2*n), make([]int, n)
	for i, in := range o.in {
		if !slices.Equal(in.shape, shape) || !in.tensor.equal(o.out[i]) {
			return fmt.Errorf("operand %d is %v with result %v, operand 0 %v", i, in.tensor, o.out[i], o.in[0].tensor)
		}
		results[i] = b.result(o, i)
		for k := 2 * i; k < 2*i+2; k++ {
			args[k], scalars[k] = b.pointer(o), in.element()
		}
	}
	less, err := b.region(o, 0, args, scalars)
	if err != nil {
		return err
	}
	if len(less.types) != 1 || less.types[0].dt != i1 || less.types[0].n != 1 {
		return fmt.Errorf("the comparator must return one i1")
	}
	step, others := strides[dim], slices.Clone(shape)
	if o.out[0].n == 0 {
		return nil
	}
	others[dim] = 1
	starts, err := b.offsets(others, strides)
	if err != nil {
		return err
	}
	compared := times(o.out[0].n, bits.Len(uint(length)))
	b.emitBlocks(compared, func(f *frame) error {
		perm, temp := at[int](f, order, 2*length)[:length], at[int](f, order, 2*length)[length:]
		for _, start := range starts {
			before := func(x, y int) (bool, error) {
				for i, in := range o.in {
					size := in.dt.size()
					f.p[args[2*i]] = unsafe.Add(f.p[in.slot], (start+x*step)*size)
					f.p[args[2*i+1]] = unsafe.Add(f.p[in.slot], (start+y*step)*size)
				}
				err := f.exec(less.steps)
				return *(*uint8)(f.p[less.results[0]]) != 0, err
			}
			for i := range perm {
				if perm[i] = i; i%tank == 0 {
					if err := f.stop(tank); err != nil {
						return err
					}
				}
			}
			if err := mergeSort(perm, temp, before); err != nil {
				return err
			}
			if err := f.stop(length); err != nil {
				return err
			}
			for i, in := range o.in {
				size := in.dt.size()
				for k, x := range perm {
					copyBytes(unsafe.Add(f.p[results[i]], (start+k*step)*size), unsafe.Add(f.p[in.slot], (start+x*step)*size), size)
				}
			}
		}
		return nil
	}, less)
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
