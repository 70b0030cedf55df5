package cudnn

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unsafe"

	"ltc/backends/cuda/libraries"
)

// Type is that of elements, by the numbers of NVIDIA's cudnnDataType_t.
type Type int32

// Types of elements.
const (
	F32  Type = 0
	F16  Type = 2
	BF16 Type = 9
)

func (t Type) String() string {
	return map[Type]string{F32: "f32", F16: "f16", BF16: "bf16"}[t]
}

// Math is what products may be of, by the numbers of NVIDIA's cudnnMathType_t.
type Math int32

// What products may be of.
const (
	Tensor Math = 1 // what tensor cores multiply: of f32, factors rounded to tf32
	FMA    Math = 3 // elements as they are
)

// Most is the most elements that images and kernels may have for the library to count
// them.
const Most = math.MaxInt32

// Spatial is the most dimensions that an image may have besides features.
const Spatial = 3

// Images is how images lie: features beside each other, and all else so many elements
// apart.
type Images struct {
	Images, Features int32
	Size             [Spatial]int32 // by dimension, the outermost first
	Apart            int32          // images
	Stride           [Spatial]int32 // places, by dimension
}

// Problem is a convolution y = x * w of images, with sums of f32. Kernels lie one behind
// the other, each with its places in the order of the dimensions, and at each the
// features of a group.
type Problem struct {
	Type       Type
	Math       Math
	Dimensions int // of an image, 2 or 3
	X, Y       Images
	Groups     int32
	Window     [Spatial]int32
	// By dimension: places around the image, on both sides, that are 0; places between
	// neighbouring windows, and between neighbours in one.
	Pad, Stride, Dilation [Spatial]int32
}

func (p *Problem) String() string {
	sizes := func(s *[Spatial]int32) string {
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(s[:p.Dimensions]), " ", "x"), "[]")
	}
	s := fmt.Sprintf("a convolution of %d images %v %sx%d to %sx%d by windows %s", p.X.Images, p.Type, sizes(&p.X.Size), p.X.Features, sizes(&p.Y.Size), p.Y.Features, sizes(&p.Window))
	if p.Groups > 1 {
		s += fmt.Sprintf(" in %d groups", p.Groups)
	}
	return s
}

// Numbers of formats and modes.
const (
	formatNHWC       = 1 // features beside each other
	crossCorrelation = 1 // windows are not reversed
)

// dims is how the library has shapes and strides: in the order of images, features and
// then the other dimensions, however they lie.
type dims [2 + Spatial]int32

func (p *Problem) dims(images, features int32, size *[Spatial]int32) (d dims) {
	d[0], d[1] = images, features
	copy(d[2:], size[:])
	return d
}

// Convolution is a convolution of a shape that can be queued. One goroutine at a time
// uses it.
type Convolution struct {
	frame       libraries.Frame
	h           *Handle
	x, y, w     uintptr // descriptors of tensors and of the filter
	desc        uintptr
	algorithm   Algorithm
	alpha, beta float32
	// What is handed to the library as arrays.
	shape, strides dims
	arrays         [3][Spatial]int32
}

// New makes a convolution, to be computed in a way that [Handle.Algorithm] has returned.
func (h *Handle) New(p *Problem, a Algorithm) (*Convolution, error) {
	x := &Convolution{h: h, algorithm: a, alpha: 1}
	if err := x.describe(p); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %v", err, p), x.Destroy())
	}
	return x, nil
}

func (x *Convolution) describe(p *Problem) error {
	n := uintptr(p.Dimensions)
	for _, t := range []struct {
		of *Images
		to *uintptr
	}{{&p.X, &x.x}, {&p.Y, &x.y}} {
		if err := x.make(tensorCreate, t.to); err != nil {
			return err
		}
		x.shape, x.strides = p.dims(t.of.Images, t.of.Features, &t.of.Size), p.dims(t.of.Apart, 1, &t.of.Stride)
		if err := x.h.fn.Set(tensorSet, &x.frame, *t.to, uintptr(p.Type), n+2, address(&x.shape[0]), address(&x.strides[0])); err != nil {
			return err
		}
	}
	if err := x.make(filterCreate, &x.w); err != nil {
		return err
	}
	x.shape = p.dims(p.Y.Features, p.X.Features/p.Groups, &p.Window)
	if err := x.h.fn.Set(filterSet, &x.frame, x.w, uintptr(p.Type), formatNHWC, n+2, address(&x.shape[0])); err != nil {
		return err
	}
	if err := x.make(convolutionCreate, &x.desc); err != nil {
		return err
	}
	x.arrays = [3][Spatial]int32{p.Pad, p.Stride, p.Dilation}
	a := &x.arrays
	err := x.h.fn.Set(convolutionSet, &x.frame, x.desc, n, address(&a[0][0]), address(&a[1][0]), address(&a[2][0]), crossCorrelation, uintptr(F32))
	if err != nil {
		return err
	}
	if err := x.h.fn.Set(convolutionMath, &x.frame, x.desc, uintptr(p.Math)); err != nil {
		return err
	}
	return x.h.fn.Set(convolutionGroups, &x.frame, x.desc, uintptr(p.Groups))
}

func address(p *int32) uintptr { return uintptr(unsafe.Pointer(p)) }

// make makes a descriptor.
func (x *Convolution) make(e entry, to *uintptr) error {
	x.frame.Out = 0
	if err := x.h.fn.Set(e, &x.frame, x.frame.Result()); err != nil {
		return err
	}
	*to = uintptr(x.frame.Out)
	return nil
}

// Destroy gives the convolution up. What is queued of it still runs.
func (x *Convolution) Destroy() error {
	var errs []error
	for _, d := range []struct {
		by entry
		of *uintptr
	}{{tensorDestroy, &x.x}, {tensorDestroy, &x.y}, {filterDestroy, &x.w}, {convolutionDestroy, &x.desc}} {
		if *d.of != 0 {
			errs = append(errs, x.h.fn.Set(d.by, &x.frame, *d.of))
			*d.of = 0
		}
	}
	return errors.Join(errs...)
}

// Operands are the addresses, in the device's memory, of what a convolution reads and
// writes, and of the memory that its algorithm takes besides.
type Operands struct{ X, W, Y, Workspace uint64 }

// Queue queues the convolution in a stream, of which the library's own handle is given.
// It allocates nothing as long as nothing fails.
func (x *Convolution) Queue(stream uintptr, o *Operands) error {
	h := x.h
	h.queuing.Lock()
	defer h.queuing.Unlock()
	x.frame.Args[0], x.frame.Args[1] = h.handle, stream
	if err := h.fn.Call(setStream, &x.frame, 2); err != nil {
		return err
	}
	n := copy(x.frame.Args[:], []uintptr{
		h.handle, uintptr(unsafe.Pointer(&x.alpha)), x.x, uintptr(o.X), x.w, uintptr(o.W), x.desc,
		uintptr(x.algorithm.number), uintptr(o.Workspace), uintptr(x.algorithm.Workspace),
		uintptr(unsafe.Pointer(&x.beta)), x.y, uintptr(o.Y),
	})
	return h.fn.Call(forward, &x.frame, n)
}
