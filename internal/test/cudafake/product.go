package cudafake

import (
	"fmt"
	"hash/fnv"
	"unsafe"

	"ltc/backends/cuda/cublaslt"
	"ltc/backends/cuda/driver"
	"ltc/internal/diag"
)

// productFunctions are what the table of package cublaslt is filled with.
var productFunctions = map[string]any{
	"cublasLtGetVersion":                   (*Fake).productVersion,
	"cublasLtCreate":                       (*Fake).newProducts,
	"cublasLtDestroy":                      (*Fake).destroyProducts,
	"cublasLtMatmulDescCreate":             (*Fake).newDesc,
	"cublasLtMatmulDescDestroy":            (*Fake).destroyDesc,
	"cublasLtMatmulDescSetAttribute":       (*Fake).setDesc,
	"cublasLtMatrixLayoutCreate":           (*Fake).newLayout,
	"cublasLtMatrixLayoutDestroy":          (*Fake).destroyLayout,
	"cublasLtMatrixLayoutSetAttribute":     (*Fake).setLayout,
	"cublasLtMatmulPreferenceCreate":       (*Fake).newPreference,
	"cublasLtMatmulPreferenceDestroy":      (*Fake).destroyPreference,
	"cublasLtMatmulPreferenceSetAttribute": (*Fake).setPreference,
	"cublasLtMatmulAlgoGetHeuristic":       (*Fake).heuristic,
	"cublasLtMatmul":                       (*Fake).matmul,
}

// products is a handle of the library.
type products struct{ device *device }

func (p *products) leaked() string { return p.device.kept("handles of cuBLASLt") }

// desc is what products compute, by the numbers of NVIDIA's header.
type desc struct {
	compute, scale int32
	transA, transB int32
	epilogue       int32
	bias           uint64
	biasType       int32
}

func (*desc) leaked() string { return "descriptions of products" }

// layout is how matrices lie.
type layout struct {
	t          int32
	rows, cols uint64
	ld         int64
	products   int32
	apart      int64
}

func (*layout) leaked() string { return "layouts of matrices" }

// preference is what a heuristic is asked for.
type preference struct {
	workspace uint64
	align     [4]uint32 // of A, B, C and D
}

func (*preference) leaked() string { return "preferences" }

func (f *Fake) productVersion() uint64 { return uint64(f.o.CuBLASLt) }

func (f *Fake) newProducts(to *uintptr) cublaslt.Status {
	d, code := f.context("cublasLtCreate")
	if code != 0 {
		return cublaslt.NotInitialized
	}
	*to = f.handle(&products{d})
	return cublaslt.Success
}

func (f *Fake) destroyProducts(h uintptr) cublaslt.Status {
	p, s := objectOf[*products](f, h, "handle of cuBLASLt", cublaslt.InvalidValue)
	if s != 0 {
		return s
	}
	if f.same("cublasLtDestroy", p.device, "handle of cuBLASLt") != 0 {
		return cublaslt.NotInitialized
	}
	f.handles[h] = destroyed{"cublasLtDestroy"}
	return cublaslt.Success
}

func (f *Fake) newDesc(to *uintptr, compute, scale int32) cublaslt.Status {
	*to = f.handle(&desc{compute: compute, scale: scale, epilogue: 1, biasType: -1})
	return cublaslt.Success
}

func (f *Fake) destroyDesc(h uintptr) cublaslt.Status {
	return destroyObject[*desc](f, h, "description of products", "cublasLtMatmulDescDestroy", cublaslt.InvalidValue)
}

// assign reads an attribute of the size that its place has.
func (f *Fake) assign(what string, number int32, place any, from unsafe.Pointer, n uint64) cublaslt.Status {
	size := uint64(8)
	switch to := place.(type) {
	case *int32:
		if size = 4; n == size {
			*to = *(*int32)(from)
		}
	case *uint32:
		if size = 4; n == size {
			*to = *(*uint32)(from)
		}
	case *int64:
		if n == size {
			*to = *(*int64)(from)
		}
	case *uint64:
		if n == size {
			*to = *(*uint64)(from)
		}
	default:
		return misused(f, cublaslt.InvalidValue, "attribute %d of %s, which the fake does not know", number, what)
	}
	if n != size {
		return misused(f, cublaslt.InvalidValue, "attribute %d of %s has %s, not %d", number, what, diag.Count(size, "byte"), n)
	}
	return cublaslt.Success
}

func (f *Fake) setDesc(h uintptr, number int32, from unsafe.Pointer, n uint64) cublaslt.Status {
	d, s := objectOf[*desc](f, h, "description of products", cublaslt.InvalidValue)
	if s != 0 {
		return s
	}
	places := map[int32]any{3: &d.transA, 4: &d.transB, 7: &d.epilogue, 8: &d.bias, 26: &d.biasType}
	return f.assign("a description of products", number, places[number], from, n)
}

func (f *Fake) newLayout(to *uintptr, t int32, rows, cols uint64, ld int64) cublaslt.Status {
	*to = f.handle(&layout{t: t, rows: rows, cols: cols, ld: ld, products: 1})
	return cublaslt.Success
}

func (f *Fake) destroyLayout(h uintptr) cublaslt.Status {
	return destroyObject[*layout](f, h, "layout of matrices", "cublasLtMatrixLayoutDestroy", cublaslt.InvalidValue)
}

func (f *Fake) setLayout(h uintptr, number int32, from unsafe.Pointer, n uint64) cublaslt.Status {
	l, s := objectOf[*layout](f, h, "layout of matrices", cublaslt.InvalidValue)
	if s != 0 {
		return s
	}
	places := map[int32]any{5: &l.products, 6: &l.apart}
	return f.assign("a layout of matrices", number, places[number], from, n)
}

func (f *Fake) newPreference(to *uintptr) cublaslt.Status {
	*to = f.handle(&preference{align: [4]uint32{256, 256, 256, 256}})
	return cublaslt.Success
}

func (f *Fake) destroyPreference(h uintptr) cublaslt.Status {
	return destroyObject[*preference](f, h, "preference", "cublasLtMatmulPreferenceDestroy", cublaslt.InvalidValue)
}

func (f *Fake) setPreference(h uintptr, number int32, from unsafe.Pointer, n uint64) cublaslt.Status {
	p, s := objectOf[*preference](f, h, "preference", cublaslt.InvalidValue)
	if s != 0 {
		return s
	}
	places := map[int32]any{1: &p.workspace, 5: &p.align[0], 6: &p.align[1], 7: &p.align[2], 8: &p.align[3]}
	return f.assign("a preference", number, places[number], from, n)
}

// described is what a call is about.
type described struct {
	desc    desc
	layouts [4]layout // of A, B, C and D
}

// describe reads the handles that calls share.
func (f *Fake) describe(call string, handle, of_ uintptr, layouts ...uintptr) (x described, s cublaslt.Status) {
	p, s := objectOf[*products](f, handle, "handle of cuBLASLt", cublaslt.InvalidValue)
	if s != 0 {
		return x, s
	}
	if f.same(call, p.device, "handle of cuBLASLt") != 0 {
		return x, cublaslt.ArchMismatch
	}
	d, s := objectOf[*desc](f, of_, "description of products", cublaslt.InvalidValue)
	if s != 0 {
		return x, s
	}
	x.desc = *d
	for i, h := range layouts {
		l, s := objectOf[*layout](f, h, "layout of matrices", cublaslt.InvalidValue)
		if s != 0 {
			return x, s
		}
		x.layouts[i] = *l
	}
	return x, x.check(f, call)
}

// key tells shapes apart for which there are algorithms.
func (x *described) key(align [4]uint32) uint64 {
	h := fnv.New64a()
	d := x.desc
	d.bias = 0
	fmt.Fprint(h, d, x.layouts, align)
	return h.Sum64()
}

// magic begins an algorithm that a heuristic has given.
const magic = 0x6c74636c74

// algorithm is what the fake has in NVIDIA's cublasLtMatmulAlgo_t.
type algorithm struct {
	magic, key, workspace uint64
	align                 [4]uint32
	rest                  [3]uint64
}

// found is NVIDIA's cublasLtMatmulHeuristicResult_t.
type found struct {
	algo      algorithm
	workspace uint64
	state     int32
	waves     float32
	reserved  [4]int32
}

func (f *Fake) heuristic(handle, d, a, b, c, to, prefer uintptr, n int32, results *found, got *int32) cublaslt.Status {
	*got = 0
	x, s := f.describe("cublasLtMatmulAlgoGetHeuristic", handle, d, a, b, c, to)
	if s != 0 {
		return s
	}
	p, s := objectOf[*preference](f, prefer, "preference", cublaslt.InvalidValue)
	if s != 0 {
		return s
	}
	if n < 1 {
		return misused(f, cublaslt.InvalidValue, "a request for %s", diag.Count(n, "algorithm"))
	}
	// Which algorithms there are may depend on how the bias is aligned, of which
	// preferences say nothing.
	align := uint64(p.align[3])
	if bias := x.desc.bias; x.desc.epilogue&4 != 0 && (bias%align != 0 || bias%(2*align) == 0) {
		return misused(f, cublaslt.InvalidValue, "an algorithm is asked for a bias at %#x, which says another alignment than %d", bias, align)
	}
	const workspace = 768 // some
	if p.workspace < workspace {
		return cublaslt.NotSupported
	}
	*results = found{algo: algorithm{magic: magic, key: x.key(p.align), workspace: workspace, align: p.align}, workspace: workspace, waves: 1}
	*got = 1
	return cublaslt.Success
}

// product is one that was queued.
type product struct {
	described
	at        [4]uint64 // A, B, C and D
	adds      bool      // C
	workspace uint64
	n         uint64 // bytes of it
}

func (f *Fake) matmul(handle, d uintptr, alpha unsafe.Pointer, a uint64, la uintptr, b uint64, lb uintptr, beta unsafe.Pointer,
	c uint64, lc uintptr, to uint64, ld uintptr, algo *algorithm, workspace, n uint64, stream uintptr) cublaslt.Status {
	const call = "cublasLtMatmul"
	x, s := f.describe(call, handle, d, la, lb, lc, ld)
	if s != 0 {
		return s
	}
	adds, s := x.scaled(f, alpha, beta)
	if s != 0 {
		return s
	}
	switch {
	case !adds && (c != to || x.layouts[2] != x.layouts[3]):
		return misused(f, cublaslt.InvalidValue, "%s: C is not added and not D", call)
	case c == to && x.layouts[2] != x.layouts[3]:
		return misused(f, cublaslt.InvalidValue, "%s: C lies in the place of D otherwise", call)
	case algo == nil || algo.magic != magic:
		return misused(f, cublaslt.InvalidValue, "%s with an algorithm that no heuristic gave", call)
	case algo.key != x.key(algo.align):
		return misused(f, cublaslt.InvalidValue, "%s with an algorithm for another shape", call)
	case n < algo.workspace:
		return misused(f, cublaslt.InvalidValue, "%s with %s of memory besides, of %d", call, diag.Count(n, "byte"), algo.workspace)
	case workspace%256 != 0 || workspace == 0:
		return misused(f, cublaslt.InvalidValue, "%s with memory besides at %#x, no multiple of 256", call, workspace)
	case x.desc.epilogue&4 != 0 && x.desc.bias == 0:
		return misused(f, cublaslt.InvalidValue, "%s with no bias to add", call)
	case x.desc.epilogue&4 != 0 && x.desc.bias%uint64(algo.align[3]) != 0:
		return misused(f, cublaslt.InvalidValue, "%s with a bias at %#x, no multiple of %d", call, x.desc.bias, algo.align[3])
	}
	p := &product{described: x, at: [4]uint64{a, b, c, to}, adds: adds, workspace: workspace, n: algo.workspace}
	for i, align := range algo.align {
		if p.at[i] == 0 || p.at[i]%uint64(align) != 0 {
			return misused(f, cublaslt.InvalidValue, "%s with matrix %d at %#x, no multiple of %d", call, i, p.at[i], align)
		}
	}
	if f.queue(call, stream, &work{kind: driver.KernelNode, product: p}) != 0 {
		return cublaslt.ExecutionFailed
	}
	return cublaslt.Success
}
