// Package kerneltest has what tests of those who run kernels share: golden
// kernels with values, random kernels, and memory that shows who touches what he
// should not. Its central type is [Memory].
//
// The package imports only ltc/backends/kit/kernel, ltc/ir/types, ltc/internal/diag, testify and
// txtar.
package kerneltest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"unsafe"

	"ltc/backends/kit/kernel"
)

// Memory is the operands of a launch. Around and between their elements lies a
// pattern that nobody may change.
type Memory struct {
	Kernel         *kernel.Kernel
	Sizes, Strides []int64
	Mem            []unsafe.Pointer // the first element of each operand
	bytes          [][]byte
	first          []int64  // where the first element is in bytes
	elements       [][]bool // which bytes are elements'
	at             [][]int  // where each element is in its operand's bytes, in row-major order
	fill           byte
}

// margin is how many bytes lie before and after the elements of an operand.
const margin = 192

// Layout returns the strides of dimensions that the kernel leaves open, given
// their sizes: it may make them larger than need be, or negative.
type Layout func(stride int64) int64

// The layouts of tests.
var (
	Dense   Layout = func(stride int64) int64 { return stride }
	Spread  Layout = func(stride int64) int64 { return stride + 3 }
	Reverse Layout = func(stride int64) int64 { return -stride }
)

// NewMemory returns memory for a kernel, with elements of bits 0. The pattern
// is bytes of fill.
func NewMemory(k *kernel.Kernel, sizes []int64, layout Layout, fill byte) *Memory {
	m := &Memory{Kernel: k, Sizes: sizes, fill: fill}
	for p := range k.Params {
		m.add(&k.Params[p], layout)
	}
	return m
}

func (m *Memory) add(p *kernel.Param, layout Layout) {
	row := make([]int64, len(p.Dims))
	low, high, next := int64(0), int64(0), int64(1)
	place := func(d int, stride int64) {
		row[d] = stride
		n := max(p.Dims[d].Of(m.Sizes), 1) - 1
		low, high = low+min(n*stride, 0), high+max(n*stride, 0)
		next = high - low + 1
	}
	for d, class := range p.Strides {
		if class == kernel.UnitStride {
			place(d, 1)
		}
	}
	for d := len(p.Dims) - 1; d >= 0; d-- {
		if p.Strides[d] == kernel.AnyStride {
			place(d, layout(next))
		}
	}
	for d, class := range p.Strides {
		if class == kernel.AnyStride {
			m.Strides = append(m.Strides, row[d])
		}
	}
	size := int64(p.DType.Size())
	b := bytes.Repeat([]byte{m.fill}, int((high-low+1)*size)+2*margin+64)
	start := margin + int64(-uintptr(unsafe.Pointer(unsafe.SliceData(b)))%8) - low*size
	m.bytes, m.first = append(m.bytes, b), append(m.first, start)
	m.Mem = append(m.Mem, unsafe.Pointer(&b[start]))
	places := m.places(p, row, start)
	is := make([]bool, len(b))
	m.at, m.elements = append(m.at, places), append(m.elements, is)
	for _, i := range places {
		for j := range int(size) {
			is[i+j], b[i+j] = true, 0
		}
	}
}

// places returns where the elements of an operand with these strides are in its bytes, the
// first of them at start, in row-major order.
func (m *Memory) places(p *kernel.Param, strides []int64, start int64) []int {
	all := []int{int(start)}
	for d, dim := range p.Dims {
		n, stride := int(dim.Of(m.Sizes)), int(strides[d])*p.DType.Size()
		next := make([]int, 0, len(all)*n)
		for _, i := range all {
			for k := range n {
				next = append(next, i+k*stride)
			}
		}
		all = next
	}
	return all
}

// Around returns the bytes around operand p, which are m's own, and where in them
// its first element is.
func (m *Memory) Around(p int) (b []byte, first int64) { return m.bytes[p], m.first[p] }

// Get returns the bits of the elements of operand p, in row-major order.
func (m *Memory) Get(p int) []uint64 {
	all := make([]uint64, len(m.at[p]))
	b, size := m.bytes[p], m.Kernel.Params[p].DType.Size()
	for n, i := range m.at[p] {
		all[n] = kernel.LoadBits(b[i:], size)
	}
	return all
}

// Set sets the bits of the elements of operand p, in row-major order.
func (m *Memory) Set(p int, values []uint64) {
	b, size := m.bytes[p], m.Kernel.Params[p].DType.Size()
	for n, i := range m.at[p] {
		kernel.StoreBits(b[i:], size, values[n])
	}
}

// Fill sets all elements to random values, see [Value].
func (m *Memory) Fill(r *rand.Rand) {
	for p := range m.Kernel.Params {
		values := make([]uint64, len(m.at[p]))
		for i := range values {
			values[i] = Value(r, m.Kernel.Params[p].DType)
		}
		m.Set(p, values)
	}
}

// Like returns memory of another layout and pattern, with the elements of m.
func (m *Memory) Like(layout Layout, fill byte) *Memory {
	c := NewMemory(m.Kernel, m.Sizes, layout, fill)
	for p := range m.Kernel.Params {
		c.Set(p, m.Get(p))
	}
	return c
}

// Run returns a copy of m, with its layout, in which run has run.
func (m *Memory) Run(run func(m *Memory) error) (*Memory, error) {
	c := *m
	c.bytes, c.Mem = slices.Clone(m.bytes), slices.Clone(m.Mem)
	for p := range m.bytes {
		b := slices.Clone(m.bytes[p])
		c.bytes[p], c.Mem[p] = b, unsafe.Pointer(&b[m.first[p]])
	}
	if err := run(&c); err != nil {
		return nil, err
	}
	return &c, c.untouched(m)
}

// Call returns a call that runs all of the launch.
func (m *Memory) Call() *kernel.Call {
	return &kernel.Call{Mem: m.Mem, Sizes: m.Sizes, Strides: m.Strides, Parts: 1}
}

// untouched reports what was written that is no element of an Out operand.
func (m *Memory) untouched(before *Memory) error {
	for p := range m.bytes {
		a := &m.Kernel.Params[p]
		if bytes.Equal(m.bytes[p], before.bytes[p]) {
			continue
		}
		for i, x := range m.bytes[p] {
			if x != before.bytes[p][i] && !(a.Out && m.elements[p][i]) {
				return fmt.Errorf("kernel %s: operand %s: byte %d from its first element was changed", m.Kernel.Name, a.Name, int64(i)-m.first[p])
			}
		}
	}
	return nil
}
