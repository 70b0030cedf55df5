package kernel

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// Scalars computes ops on single elements, for [Evaluate].
type Scalars interface {
	// Scalar returns the bits of op's value, given the bits of its arguments. The value has
	// dtype t, and the first argument has dtype from. Evaluate calls it with dtypes that the op
	// takes, for every op that computes except Select, Clamp and BitcastConvert, and the ops
	// FMA, CopySign, Exponent, Mantissa and Scale, which [Float] computes. Iota, SizeOf, Lookup
	// (see [TableRow]) and what accesses memory depend on more than arguments.
	Scalar(op Op, t, from types.DType, args ...uint64) (uint64, error)
}

// Evaluate runs a kernel that has passed [Verify], one point after the other. The points of the
// kernel's axes run in row-major order. At each such point the stages run in order, and the
// points of a stage's axes in row-major order; a [ReverseAxis] runs backwards. Reductions and
// stores combine in that order. Evaluate is the reference for compilers of kernels. Sizes, mem
// and strides are as in a [Call]. An access that [Bounds] cannot prove to be in range is an
// error, and then nothing runs.
func Evaluate(k *Kernel, sizes []int64, mem []unsafe.Pointer, strides []int64, scalars Scalars) error {
	if err := Bounds(k, sizes); err != nil {
		return err
	}
	if len(mem) != len(k.Params) || len(strides) != k.StrideArgs() {
		return fmt.Errorf("kernel %s: %s and %s, want %d and %d", k.Name, diag.Count(len(mem), "operand"), diag.Count(len(strides), "stride"), len(k.Params), k.StrideArgs())
	}
	e := evaluator{
		k: k, sizes: sizes, mem: mem, scalars: scalars,
		strides: k.StrideTable(nil, strides),
		values:  make([]uint64, len(k.Instrs)),
		sums:    make([]uint64, len(k.Instrs)),
	}
	for range k.Locals {
		e.locals = append(e.locals, nil)
	}
	return e.points(k.Axes, 0, func() error {
		for l := range k.Locals {
			n := int64(k.Locals[l].DType.Size())
			for _, d := range k.Locals[l].Dims {
				n *= d.Of(sizes)
			}
			e.locals[l] = make([]byte, n)
		}
		for s := range k.Stages {
			if err := e.stage(s); err != nil {
				return err
			}
		}
		return nil
	})
}

type evaluator struct {
	k       *Kernel
	sizes   []int64
	mem     []unsafe.Pointer
	strides [][]int64
	locals  [][]byte
	scalars Scalars
	at      []int64  // the current point, by axis of the kernel and the stage
	values  []uint64 // bits, by ID
	sums    []uint64 // bits of the accumulators of reductions and scans, by ID
	args    []uint64 // of the op that is being computed
}

// points runs body for each point of axes, which have the numbers from first on.
func (e *evaluator) points(axes []Axis, first int, body func() error) error {
	if len(axes) == 0 {
		return body()
	}
	e.at = append(e.at[:first], 0)
	n := axes[0].Size.Of(e.sizes)
	for i := range n {
		e.at = e.at[:first+1]
		if e.at[first] = i; axes[0].Kind == ReverseAxis {
			e.at[first] = n - 1 - i
		}
		if err := e.points(axes[1:], first+1, body); err != nil {
			return err
		}
	}
	return nil
}

func (e *evaluator) stage(s int) error {
	st := &e.k.Stages[s]
	for id := st.Begin; id < st.End; id++ {
		switch i := &e.k.Instrs[id]; i.Op {
		case Reduce:
			e.sums[id] = Neutral(Op(i.Aux), i.Type)
		case Scan:
			with, _ := AsScan(i.Aux)
			e.sums[id] = Neutral(with, i.Type)
		}
	}
	err := e.points(st.Axes, len(e.k.Axes), func() error {
		for id := st.Begin; id < st.End; id++ {
			i := &e.k.Instrs[id]
			v, err := e.instr(i)
			if err != nil {
				return fmt.Errorf("kernel %s: %%%d: %w", e.k.Name, id, err)
			}
			switch e.values[id] = v; i.Op {
			case Scan:
				with, exclusive := AsScan(i.Aux)
				before := e.sums[id]
				if e.sums[id], err = e.combine(with, i.Type, before, v); err != nil {
					return fmt.Errorf("kernel %s: %%%d: %w", e.k.Name, id, err)
				}
				if e.values[id] = e.sums[id]; exclusive {
					e.values[id] = before
				}
			case Reduce:
				if e.sums[id], err = e.combine(Op(i.Aux), i.Type, e.sums[id], v); err != nil {
					return fmt.Errorf("kernel %s: %%%d: %w", e.k.Name, id, err)
				}
			}
		}
		return nil
	})
	for id := st.Begin; id < st.End; id++ {
		if e.k.Instrs[id].Op == Reduce {
			e.values[id] = e.sums[id]
		}
	}
	return err
}

// instr returns the value of an instruction at the current point. For a reduction or scan
// it is the value that the point adds.
func (e *evaluator) instr(i *Instr) (uint64, error) {
	switch i.Op {
	case Constant:
		return uint64(i.Aux), nil
	case Iota:
		return e.scalars.Scalar(Convert, i.Type, types.I64, uint64(e.at[i.Aux]))
	case SizeOf:
		return uint64(Size(i.Aux).Of(e.sizes)), nil
	case Reduce, Scan:
		return e.values[i.Args[0]], nil
	case Load:
		p, inside := e.element(i.Mem)
		if !inside {
			return e.values[i.Args[0]], nil
		}
		return LoadBits(p, i.Type.Size()), nil
	case Store:
		p, inside := e.element(i.Mem)
		if !inside {
			return 0, nil
		}
		v, err := e.values[i.Args[0]], error(nil)
		if i.Mem.Combine != Invalid {
			v, err = e.combine(i.Mem.Combine, i.Type, LoadBits(p, i.Type.Size()), v)
		}
		StoreBits(p, i.Type.Size(), v)
		return 0, err
	case Lookup:
		table, row := TableRow(i.Aux).Table()
		all := table.Bits(row, 8*i.Type.Size())
		return all[e.values[i.Args[0]]&uint64(len(all)-1)], nil
	}
	e.args = e.args[:0]
	for _, a := range i.Args {
		e.args = append(e.args, e.values[a])
	}
	return e.compute(i.Op, i.Type, e.k.Instrs[i.Args[0]].Type, e.args)
}

// combine computes an op on two values of one type.
func (e *evaluator) combine(op Op, t types.DType, x, y uint64) (uint64, error) {
	e.args = append(e.args[:0], x, y)
	return e.compute(op, t, t, e.args)
}

// compute computes an op on args, which it does not keep.
func (e *evaluator) compute(op Op, t, from types.DType, args []uint64) (uint64, error) {
	switch op {
	case BitcastConvert:
		return args[0], nil
	case FMA, CopySign, Exponent, Mantissa, Scale:
		return Float(op, t, args...)
	case Select:
		if args[0] != 0 {
			return args[1], nil
		}
		return args[2], nil
	case Clamp:
		v, err := e.scalars.Scalar(Maximum, t, t, args[0], args[1])
		if err != nil {
			return 0, err
		}
		return e.scalars.Scalar(Minimum, t, t, v, args[2])
	}
	return e.scalars.Scalar(op, t, from, args...)
}

// element returns the memory of the element of an access at the current point; false if an
// index is out of range.
func (e *evaluator) element(m *Access) ([]byte, bool) {
	dims, strides, size := []Size(nil), []int64(nil), 0
	if m.Local {
		l := &e.k.Locals[m.Param]
		dims, size = l.Dims, l.DType.Size()
	} else {
		p := &e.k.Params[m.Param]
		dims, size, strides = p.Dims, p.DType.Size(), e.strides[m.Param]
	}
	offset, dense := int64(0), int64(0)
	for d := range m.Index {
		x := &m.Index[d]
		at := x.Offset
		if x.Value != None {
			at += e.integer(x.Value)
		}
		for _, t := range x.Terms {
			at += t.Factor * e.at[t.Axis]
		}
		n := dims[d].Of(e.sizes)
		if !m.Local && e.k.Params[m.Param].Strides[d] == TableStride {
			offset += at
			continue
		}
		if at < 0 || at >= n {
			return nil, false
		}
		if dense = dense*n + at; !m.Local {
			offset += at * strides[d]
		}
	}
	if m.Local {
		return e.locals[m.Param][dense*int64(size):][:size], true
	}
	return unsafe.Slice((*byte)(unsafe.Add(e.mem[m.Param], offset*int64(size))), size), true
}

// integer returns a value of an integer type as an i64, modulo 2^64.
func (e *evaluator) integer(id ID) int64 {
	t, bits := e.k.Instrs[id].Type, int64(e.values[id])
	if unused := 64 - 8*t.Size(); t.IsSigned() {
		return bits << unused >> unused
	}
	return bits
}

// LoadBits reads an element of size bytes, at most 8, from p: the lowest byte first.
func LoadBits(p []byte, size int) uint64 {
	var b [8]byte
	copy(b[:], p[:size])
	return binary.LittleEndian.Uint64(b[:])
}

// StoreBits writes an element of size bytes, at most 8, to p: the lowest byte first.
func StoreBits(p []byte, size int, bits uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	copy(p[:size], b[:])
}
