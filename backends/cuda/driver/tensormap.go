package driver

import (
	"fmt"
	"sync"
	"unsafe"

	"ltc/internal/diag"
)

// TensorMap tells the device how a matrix of many dimensions lies in its memory,
// for copies of boxes of it to the memory of blocks. The zero value is none; a map
// is not to be copied.
type TensorMap struct {
	raw [128 + 64]byte // 128 bytes, wherever they are aligned
}

// aligned returns the 128 bytes.
func (m *TensorMap) aligned() *byte {
	from := -uintptr(unsafe.Pointer(&m.raw)) & 63
	return &m.raw[from]
}

// TensorLayout is how a matrix lies in memory; dimensions are listed from the
// innermost.
type TensorLayout struct {
	Type    TensorType
	Address Ptr      // a multiple of 16
	Sizes   []uint64 // of up to 5 dimensions
	Strides []uint64 // bytes, of all dimensions but the innermost; multiples of 16
	Box     []uint32 // the sizes of what is copied at once
	Swizzle TensorSwizzle
}

// TensorType is a type of elements, by the number of NVIDIA's
// CUtensorMapDataType.
type TensorType int32

// Types of elements.
const (
	TensorU8 TensorType = iota
	TensorU16
	TensorU32
	TensorI32
	TensorU64
	TensorI64
	TensorF16
	TensorF32
	TensorF64
	TensorBF16
)

// TensorSwizzle is how rows of a box are mixed in a block's memory so that its
// banks are used evenly, by the number of NVIDIA's CUtensorMapSwizzle.
type TensorSwizzle int32

// Spans in which rows are mixed.
const (
	NoSwizzle TensorSwizzle = iota
	Swizzle32
	Swizzle64
	Swizzle128
)

const promote256 = 3 // CU_TENSOR_MAP_L2_PROMOTION_L2_256B

// encoding is what the library reads.
type encoding struct {
	frame
	sizes, strides [5]uint64
	box, steps     [5]uint32
}

var encodings = sync.Pool{New: func() any { return &encoding{steps: [5]uint32{1, 1, 1, 1, 1}} }}

// Encode makes the map of a layout, which it allocates nothing for. What lies outside
// the matrix is copied as 0.
func (c *Context) Encode(m *TensorMap, l *TensorLayout) error {
	n := len(l.Sizes)
	if n < 1 || n > 5 || len(l.Strides) != n-1 || len(l.Box) != n {
		return fmt.Errorf("cuda: a tensor map of %s, %s and a box of %d: want 1 to 5, one less, and as many", diag.Count(n, "size"), diag.Count(len(l.Strides), "stride"), len(l.Box))
	}
	e := encodings.Get().(*encoding)
	defer encodings.Put(e)
	copy(e.sizes[:], l.Sizes)
	copy(e.strides[:], l.Strides)
	copy(e.box[:], l.Box)
	e.args = [12]uintptr{e.pin(0, unsafe.Pointer(m.aligned())), uintptr(l.Type), uintptr(n), uintptr(l.Address),
		uintptr(unsafe.Pointer(&e.sizes)), uintptr(unsafe.Pointer(&e.strides)), uintptr(unsafe.Pointer(&e.box)), uintptr(unsafe.Pointer(&e.steps)),
		0, uintptr(l.Swizzle), promote256, 0}
	code := c.driver.call(cuTensorMapEncodeTiled, &e.frame, 12)
	e.keep = [2]unsafe.Pointer{}
	return c.result(cuTensorMapEncodeTiled, code)
}
