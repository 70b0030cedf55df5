package cudafake

import (
	"math"
	"unsafe"

	"ltc/backends/cuda/cublaslt"
	"ltc/backends/cuda/driver"
	"ltc/internal/diag"
	"ltc/ir/types"
)

// element is how a type of the library's lies in memory.
type element struct {
	size int
	read func(unsafe.Pointer) float64
	set  func(unsafe.Pointer, float64)
}

// elements are the types that there are, by NVIDIA's numbers.
var elements = map[int32]element{
	0:  {4, func(p unsafe.Pointer) float64 { return float64(*(*float32)(p)) }, func(p unsafe.Pointer, v float64) { *(*float32)(p) = float32(v) }},
	1:  {8, func(p unsafe.Pointer) float64 { return *(*float64)(p) }, func(p unsafe.Pointer, v float64) { *(*float64)(p) = v }},
	2:  {2, func(p unsafe.Pointer) float64 { return float64((*(*types.Float16)(p)).Float32()) }, func(p unsafe.Pointer, v float64) { *(*types.Float16)(p) = types.ToFloat16(v) }},
	3:  {1, func(p unsafe.Pointer) float64 { return float64(*(*int8)(p)) }, func(p unsafe.Pointer, v float64) { *(*int8)(p) = int8(v) }},
	10: {4, func(p unsafe.Pointer) float64 { return float64(*(*int32)(p)) }, func(p unsafe.Pointer, v float64) { *(*int32)(p) = int32(v) }},
	14: {2, func(p unsafe.Pointer) float64 { return float64((*(*types.BFloat16)(p)).Float32()) }, func(p unsafe.Pointer, v float64) { *(*types.BFloat16)(p) = types.ToBFloat16(v) }},
}

// combinations are the types of what is computed, of scales, of A, of B and of D that
// the library multiplies, as its documentation lists them.
var combinations = map[[5]int32]bool{
	{68, 0, 0, 0, 0}: true, {77, 0, 0, 0, 0}: true,
	{68, 0, 2, 2, 2}: true, {68, 0, 2, 2, 0}: true, {68, 0, 14, 14, 14}: true, {68, 0, 14, 14, 0}: true,
	{70, 1, 1, 1, 1}:   true,
	{72, 10, 3, 3, 10}: true,
}

// epilogues are those that the fake computes.
var epilogues = map[int32]bool{1: true, 4: true}

// sizes returns how many rows and columns of D there are, and what is summed.
func (x *described) sizes() (m, n, k uint64) {
	k = x.layouts[0].cols
	if x.desc.transA != 0 {
		k = x.layouts[0].rows
	}
	return x.layouts[3].rows, x.layouts[3].cols, k
}

// check checks that layouts fit each other.
func (x *described) check(f *Fake, call string) cublaslt.Status {
	d, l := &x.desc, &x.layouts
	m, n, k := x.sizes()
	want := [4][2]uint64{{m, k}, {k, n}, {m, n}, {m, n}}
	for i, t := range [4]int32{d.transA, d.transB, 0, 0} {
		if t != 0 && t != 1 {
			return misused(f, cublaslt.InvalidValue, "%s: transposition of matrix %d is %d, not 0 or 1", call, i, t)
		}
		if t == 1 {
			want[i][0], want[i][1] = want[i][1], want[i][0]
		}
		switch have := &l[i]; {
		case have.rows != want[i][0] || have.cols != want[i][1]:
			return misused(f, cublaslt.InvalidValue, "%s: matrix %d has %s and %s, not %d and %d", call, i, diag.Count(have.rows, "row"), diag.Count(have.cols, "column"), want[i][0], want[i][1])
		case have.rows == 0 || have.cols == 0 || have.rows > math.MaxInt32 || have.cols > math.MaxInt32:
			return misused(f, cublaslt.InvalidValue, "%s: matrix %d has %s and %s", call, i, diag.Count(have.rows, "row"), diag.Count(have.cols, "column"))
		case have.ld < int64(have.rows):
			return misused(f, cublaslt.InvalidValue, "%s: columns of matrix %d are %s apart and have %d", call, i, diag.Count(have.ld, "element"), have.rows)
		case have.products != l[3].products || have.products < 1:
			return misused(f, cublaslt.InvalidValue, "%s: %s %d, and %s", call, diag.Count(have.products, "matrix"), i, diag.Count(l[3].products, "result"))
		case have.apart < 0 || i > 1 && have.products > 1 && have.apart == 0:
			return misused(f, cublaslt.InvalidValue, "%s: matrices %d are %s apart", call, i, diag.Count(have.apart, "element"))
		}
	}
	switch {
	case !combinations[[5]int32{d.compute, d.scale, l[0].t, l[1].t, l[3].t}], l[2].t != l[3].t, !epilogues[d.epilogue]:
		return cublaslt.NotSupported
	case d.compute == 72 && (d.transA != 1 || d.transB != 0 || d.epilogue != 1 || l[0].ld%4 != 0 || l[1].ld%4 != 0 || m%4 != 0):
		return cublaslt.NotSupported
	case d.epilogue == 4 && d.biasType != l[3].t && d.biasType != -1:
		return cublaslt.NotSupported
	}
	return cublaslt.Success
}

// scaled checks that sums are taken once, and returns whether C is added to them.
func (x *described) scaled(f *Fake, alpha, beta unsafe.Pointer) (adds bool, s cublaslt.Status) {
	if alpha == nil || beta == nil {
		return false, misused(f, cublaslt.InvalidValue, "cublasLtMatmul without factors of sums")
	}
	e := elements[x.desc.scale]
	a, b := e.read(alpha), e.read(beta)
	if a != 1 || b != 0 && b != 1 {
		return false, misused(f, cublaslt.InvalidValue, "cublasLtMatmul with sums times %v and C times %v", a, b)
	}
	return b == 1, cublaslt.Success
}

// matrix reads matrix i of product b: rows of what is summed, dense. Those of B are its
// columns.
func (f *Fake) matrix(d *device, p *product, i, b int, when *moment) ([]float64, driver.Code) {
	l := &p.layouts[i]
	e := elements[l.t]
	along := (i == 0) == (p.desc.transA != 0) // whether a column is what is summed
	if i == 1 {
		along = p.desc.transB == 0
	}
	all := make([]float64, l.rows*l.cols)
	for c := range l.cols {
		at := p.at[i] + uint64(int64(b)*l.apart+int64(c)*l.ld)*uint64(e.size)
		n := l.rows * uint64(e.size)
		from, code := f.bytes(d, at, n, false, when)
		if code != 0 {
			return nil, code
		}
		m := f.at(at)
		f.expect(m, int64(at-m.address), int64(at-m.address+n), when)
		for r := range l.rows {
			v := e.read(unsafe.Pointer(&from[r*uint64(e.size)]))
			if p.desc.compute == 77 {
				v = float64(tf32(float32(v)))
			}
			if along {
				all[c*l.rows+r] = v
			} else {
				all[r*l.cols+c] = v
			}
		}
	}
	return all, driver.Success
}

// tf32 rounds to the 11 bits that tensor cores take.
func tf32(v float32) float32 {
	return math.Float32frombits((math.Float32bits(v) + 0x1000) &^ 0x1FFF)
}

// multiply computes products when their turn comes.
func (f *Fake) multiply(d *device, p *product, when *moment) driver.Code {
	m, n, k := p.sizes()
	besides, code := f.bytes(d, p.workspace, p.n, true, when)
	if code != 0 {
		return code
	}
	fill(besides)
	var bias []float64
	if p.desc.epilogue == 4 {
		if bias, code = f.vector(d, p.desc.bias, m, elements[p.layouts[3].t], when); code != 0 {
			return code
		}
	}
	l := &p.layouts[3]
	e := elements[l.t]
	for b := range int(l.products) {
		x, code := f.matrix(d, p, 0, b, when)
		if code != 0 {
			return code
		}
		y, code := f.matrix(d, p, 1, b, when)
		if code != 0 {
			return code
		}
		for c := range n {
			var added []float64
			if p.adds { // before it may be written over
				of := &p.layouts[2]
				from := p.at[2] + uint64(int64(b)*of.apart+int64(c)*of.ld)*uint64(e.size)
				if added, code = f.vector(d, from, m, e, when); code != 0 {
					return code
				}
			}
			at := p.at[3] + uint64(int64(b)*l.apart+int64(c)*l.ld)*uint64(e.size)
			to, code := f.bytes(d, at, m*uint64(e.size), true, when)
			if code != 0 {
				return code
			}
			for r := range m {
				sum := dot(x[r*k:][:k], y[c*k:][:k])
				if p.desc.scale == 0 {
					sum = float64(float32(sum))
				}
				if added != nil {
					sum += added[r]
				}
				if bias != nil {
					sum += bias[r]
				}
				e.set(unsafe.Pointer(&to[r*uint64(e.size)]), sum)
			}
			all := f.at(at)
			f.copied(all, int64(at-all.address), nil, 0, int64(len(to)), when)
		}
	}
	return driver.Success
}

// vector reads elements that are beside each other.
func (f *Fake) vector(d *device, at, n uint64, e element, when *moment) ([]float64, driver.Code) {
	from, code := f.bytes(d, at, n*uint64(e.size), false, when)
	if code != 0 {
		return nil, code
	}
	m := f.at(at)
	f.expect(m, int64(at-m.address), int64(at-m.address)+int64(len(from)), when)
	all := make([]float64, n)
	for i := range all {
		all[i] = e.read(unsafe.Pointer(&from[i*e.size]))
	}
	return all, driver.Success
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}
