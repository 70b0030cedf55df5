package loops

import "unsafe"

// gemm adds the product of a [m,k] and b [k,n] to c [m,n]. b and c are dense;
// the element (i, l) of a is a[i*ai+l*al].
//
// Every element of c is summed in the order of k, one product at a time, each
// rounded: the result depends neither on the blocking nor on threads. It ends
// early when the run is cancelled. rows is axpy4x2 or as good as it.
func gemm[T Numeric](rows rowsFunc[T], run *Budget, c, a, b []T, m, n, k, ai, al int) {
	// A block of b of blockK rows and blockN columns stays in the second-level
	// cache while all rows of c pass over it.
	const blockK, blockN = 128, 1024
	for j0 := 0; j0 < n; j0 += blockN {
		j1 := min(j0+blockN, n)
		for l0 := 0; l0 < k; l0 += blockK {
			l1 := min(l0+blockK, k)
			i := 0
			for ; i+1 < m; i += 2 {
				if run.Due(2 * (j1 - j0) * (l1 - l0)) {
					return
				}
				c0, c1 := c[i*n+j0:i*n+j1], c[(i+1)*n+j0:(i+1)*n+j1]
				l := l0
				for ; l+3 < l1; l += 4 {
					p, q := i*ai+l*al, (i+1)*ai+l*al
					rows(c0, c1, b[l*n+j0:l*n+j1], b[(l+1)*n+j0:(l+1)*n+j1], b[(l+2)*n+j0:(l+2)*n+j1], b[(l+3)*n+j0:(l+3)*n+j1],
						[8]T{a[p], a[p+al], a[p+2*al], a[p+3*al], a[q], a[q+al], a[q+2*al], a[q+3*al]})
				}
				for ; l < l1; l++ {
					row := b[l*n+j0 : l*n+j1]
					axpy(c0, row, a[i*ai+l*al])
					axpy(c1, row, a[(i+1)*ai+l*al])
				}
			}
			if i < m {
				for l := l0; l < l1; l++ {
					axpy(c[i*n+j0:i*n+j1], b[l*n+j0:l*n+j1], a[i*ai+l*al])
				}
			}
		}
	}
}

// rowsFunc is a function like axpy4x2.
type rowsFunc[T Numeric] func(c0, c1, b0, b1, b2, b3 []T, f [8]T)

// axpy4x2 adds four rows of b to two rows of c: with the two rows of c, each
// element of b that is loaded is used twice.
func axpy4x2[T Numeric](c0, c1, b0, b1, b2, b3 []T, f [8]T) {
	n := len(c0)
	c1, b0, b1, b2, b3 = c1[:n], b0[:n], b1[:n], b2[:n], b3[:n]
	x0, x1, x2, x3, y0, y1, y2, y3 := f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]
	for j := range c0 {
		v0, v1, v2, v3 := b0[j], b1[j], b2[j], b3[j]
		// The conversions keep a compiler from fusing, which would round once.
		s, t := c0[j], c1[j]
		s += T(x0 * v0)
		t += T(y0 * v0)
		s += T(x1 * v1)
		t += T(y1 * v1)
		s += T(x2 * v2)
		t += T(y2 * v2)
		s += T(x3 * v3)
		t += T(y3 * v3)
		c0[j], c1[j] = s, t
	}
}

func axpy[T Numeric](c, b []T, x T) {
	b = b[:len(c)]
	for j := range c {
		c[j] += T(x * b[j])
	}
}

// GemmFunc is a matrix product that adds to c, as gemm has it.
type GemmFunc func(run *Budget, c, a, b unsafe.Pointer, m, n, k, ai, al int)

// Gemm returns the matrix product of elements of type d; nil if they have none.
func Gemm(d DType) GemmFunc {
	switch d {
	case F32:
		return eraseGemm(float32Rows())
	case F64:
		return eraseGemm(axpy4x2[float64])
	case C64:
		return eraseGemm(axpy4x2[complex64])
	case C128:
		return eraseGemm(axpy4x2[complex128])
	}
	if f := ByInteger(d, intGemm[int8], intGemm[int16], intGemm[int32], intGemm[int64], intGemm[uint8], intGemm[uint16], intGemm[uint32], intGemm[uint64]); f != nil {
		return f()
	}
	return nil
}

func intGemm[T Integer]() GemmFunc { return eraseGemm(axpy4x2[T]) }

func eraseGemm[T Numeric](rows rowsFunc[T]) GemmFunc {
	return func(run *Budget, c, a, b unsafe.Pointer, m, n, k, ai, al int) {
		gemm(rows, run, unsafe.Slice((*T)(c), m*n), unsafe.Slice((*T)(a), m*k), unsafe.Slice((*T)(b), k*n), m, n, k, ai, al)
	}
}
