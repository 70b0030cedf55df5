package cublaslt

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"ltc/backends/cuda/libraries"
)

// Type is that of elements, by the numbers of NVIDIA's cudaDataType.
type Type int32

// Types of elements.
const (
	F32  Type = 0
	F64  Type = 1
	F16  Type = 2
	I8   Type = 3
	I32  Type = 10
	BF16 Type = 14
)

func (t Type) String() string {
	return map[Type]string{F32: "f32", F64: "f64", F16: "f16", I8: "i8", I32: "i32", BF16: "bf16"}[t]
}

// Compute is what products and sums are of, by the numbers of NVIDIA's
// cublasComputeType_t.
type Compute int32

// What products and sums are of.
const (
	ComputeF32  Compute = 68
	ComputeF64  Compute = 70
	ComputeI32  Compute = 72
	ComputeTF32 Compute = 77 // factors of f32 are rounded to tf32
)

// scale is the type of the factors of a sum.
func (c Compute) scale() Type {
	switch c {
	case ComputeF64:
		return F64
	case ComputeI32:
		return I32
	}
	return F32
}

// Epilogue is what becomes of sums before they are rounded and stored, by the numbers
// of NVIDIA's cublasLtEpilogue_t.
type Epilogue int32

// What becomes of sums.
const (
	Plain Epilogue = 1 // nothing
	Bias  Epilogue = 4 // an element for each row of D is added
)

func (e Epilogue) String() string {
	names := map[Epilogue]string{Plain: "none", Bias: "bias"}
	if name := names[e]; name != "" {
		return name
	}
	return strconv.Itoa(int(e))
}

// Matrix is how a matrix lies: by columns, a row's neighbours Stride elements apart.
type Matrix struct {
	Type          Type
	Rows, Columns int64
	Stride        int64
	Apart         int64 // elements from one product's to the next one's
}

// Problem is so many products D = A·B of matrices, or A·B + C, of which A or B may lie
// transposed: a row of it is a column of what is multiplied.
type Problem struct {
	A, B, D        Matrix
	C              Matrix
	Adds           bool // C, before all else; it may be D
	TransA, TransB bool
	Products       int32
	Compute        Compute
	Epilogue       Epilogue
	Bias           Type // of its elements
	Align          int  // bytes, of which the addresses of matrices are multiples
}

func (p *Problem) String() string {
	k := p.A.Columns
	if p.TransA {
		k = p.A.Rows
	}
	s := fmt.Sprintf("%d of %v %dx%dx%d to %v, epilogue: %v", p.Products, p.A.Type, p.D.Rows, p.D.Columns, k, p.D.Type, p.Epilogue)
	if p.Adds {
		s += ", to what is added"
	}
	return s
}

// Attributes of products and layouts.
const (
	descTransA   = 3
	descTransB   = 4
	descEpilogue = 7
	descBias     = 8
	descBiasType = 26

	layoutProducts = 5
	layoutApart    = 6

	transposed = 1
)

// Product is products of a shape that can be queued. One goroutine at a time uses it.
type Product struct {
	frame       libraries.Frame
	h           *Handle
	desc        uintptr
	layouts     [4]uintptr // of A, B, D and C, which is D's where none is added
	algorithm   Algorithm
	alpha, beta uint64 // of the type that sums are scaled with
	biased      bool
	adds        bool
	bias        uint64 // the address that desc has
}

// New makes a product, to be computed in a way that [Handle.Algorithm] has returned.
func (h *Handle) New(p *Problem, a Algorithm) (*Product, error) {
	x := &Product{h: h, algorithm: a, biased: p.Epilogue == Bias, adds: p.Adds}
	switch p.Compute.scale() {
	case F64:
		x.alpha = math.Float64bits(1)
	case I32:
		x.alpha = 1
	default:
		x.alpha = uint64(math.Float32bits(1))
	}
	if p.Adds {
		x.beta = x.alpha
	}
	if err := x.describe(p); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %v", err, p), x.Destroy())
	}
	return x, nil
}

func (x *Product) describe(p *Problem) error {
	l := x.h.Library
	if err := l.fn.Set(descCreate, &x.frame, x.frame.Result(), uintptr(p.Compute), uintptr(p.Compute.scale())); err != nil {
		return err
	}
	x.desc = uintptr(x.frame.Out)
	set := func(number int, value uint64, bytes uintptr) error {
		return l.attribute(&x.frame, descSet, x.desc, number, value, bytes)
	}
	errs := []error{set(descEpilogue, uint64(p.Epilogue), 4)}
	if p.TransA {
		errs = append(errs, set(descTransA, transposed, 4))
	}
	if p.TransB {
		errs = append(errs, set(descTransB, transposed, 4))
	}
	if x.biased {
		errs = append(errs, set(descBiasType, uint64(p.Bias), 4))
	}
	matrices := []*Matrix{&p.A, &p.B, &p.D, &p.C}
	if !p.Adds {
		matrices[3] = &p.D
	}
	for i, m := range matrices {
		if err := l.fn.Set(layoutCreate, &x.frame, x.frame.Result(), uintptr(m.Type), uintptr(m.Rows), uintptr(m.Columns), uintptr(m.Stride)); err != nil {
			return errors.Join(append(errs, err)...)
		}
		x.layouts[i] = uintptr(x.frame.Out)
		if p.Products > 1 {
			errs = append(errs, l.attribute(&x.frame, layoutSet, x.layouts[i], layoutProducts, uint64(p.Products), 4),
				l.attribute(&x.frame, layoutSet, x.layouts[i], layoutApart, uint64(m.Apart), 8))
		}
	}
	return errors.Join(errs...)
}

// Destroy gives the product up. What is queued of it still runs.
func (x *Product) Destroy() error {
	var errs []error
	for _, l := range x.layouts {
		if l != 0 {
			errs = append(errs, x.h.fn.Set(layoutDestroy, &x.frame, l))
		}
	}
	if x.desc != 0 {
		errs = append(errs, x.h.fn.Set(descDestroy, &x.frame, x.desc))
	}
	x.layouts, x.desc = [4]uintptr{}, 0
	return errors.Join(errs...)
}

// Operands are the addresses, in the device's memory, of a product's matrices, and of
// the memory that its algorithm takes besides.
type Operands struct{ A, B, C, D, Bias, Workspace uint64 }

// Queue queues the products in a stream, of which the library's own handle is given. It
// allocates nothing as long as nothing fails.
func (x *Product) Queue(stream uintptr, o *Operands) error {
	if x.biased && x.bias != o.Bias {
		x.bias = 0
		if err := x.h.attribute(&x.frame, descSet, x.desc, descBias, o.Bias, 8); err != nil {
			return err
		}
		x.bias = o.Bias
	}
	c := o.D
	if x.adds {
		c = o.C
	}
	x.frame.Args = [16]uintptr{
		x.h.handle, x.desc, uintptr(unsafe.Pointer(&x.alpha)),
		uintptr(o.A), x.layouts[0], uintptr(o.B), x.layouts[1],
		uintptr(unsafe.Pointer(&x.beta)), uintptr(c), x.layouts[3], uintptr(o.D), x.layouts[2],
		uintptr(unsafe.Pointer(&x.algorithm.data)), uintptr(o.Workspace), uintptr(x.algorithm.Workspace), stream,
	}
	return x.h.fn.Call(matmul, &x.frame, len(x.frame.Args))
}
