package ptx

import (
	"slices"

	"ltc/backends/cuda/ptx/gemm"
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
	"ltc/backends/kit/kernel"
	"ltc/internal/diag"
)

// Options says what kernels may rely on and leave of exactness. The zero value: what
// all GPUs have, and none.
type Options struct {
	// TF32 lets tensor cores multiply f32, of whose 24 bits they take 11.
	TF32 bool
	// Hopper is set for GPUs of compute capability 9.0, which alone can run what is
	// then written: warpgroups multiply.
	Hopper bool
	// Processors is how many multiprocessors there are; 0: about as many as large GPUs
	// have.
	Processors int
	// Shared is how many bytes of blocks' memory a multiprocessor has; 0: as many as H100's.
	Shared int
	// Ordered has floats that stores combine added in the order of the points, not in
	// whichever they come: the same bits each time, and no atomic instructions' speed.
	Ordered bool
}

// Plan returns the schedule of a kernel that has passed [kernel.Verify]. An error
// wraps [errors.ErrUnsupported].
func (o Options) Plan(k *kernel.Kernel) (*Schedule, error) {
	if n := body.Parameters(k); n > asm.MostParameters {
		return nil, asm.Unsupported(k, "%s: an entry has at most %d", diag.Count(n, "parameter"), asm.MostParameters)
	}
	inOrder, err := separable(k, o.Ordered)
	if err != nil {
		return nil, err
	}
	s := &Schedule{k: k, X: -1, Across: -1, InOrder: inOrder}
	ordered := slices.Contains(inOrder, true)
	single := len(k.Stages) == 1
	staged := slices.ContainsFunc(k.Stages, func(st kernel.Stage) bool { return len(st.Axes) > 0 })
	for i := range k.Instrs {
		if k.Instrs[i].Op == kernel.Reduce {
			s.reductions++
		}
	}
	s.product = gemm.Plan(k, gemm.Options{TF32: o.TF32, Hopper: o.Hopper, Processors: o.Processors, Shared: o.Shared})
	if s.product != nil {
		s.Form = Product
		return s, nil
	}
	switch {
	case len(k.Locals) == 0 && !ordered && (!staged || single && s.reductions == 0 && !k.Scans()):
		s.asPoints()
	case len(k.Axes) > 0 && (len(k.Locals) == 0 && s.alongKernel() || carriesScalars(k)):
		s.asColumns()
	default:
		s.asRows()
	}
	return s, nil
}

// carriesScalars reports whether stages carry values from point to point in locals
// that have one element each, as all locals have: registers of the thread that has
// these points, wherever their neighbours lie in memory.
func carriesScalars(k *kernel.Kernel) bool {
	return k.Carried() != nil && !slices.ContainsFunc(k.Locals, func(l kernel.Local) bool { return len(l.Dims) > 0 })
}

// alongKernel reports whether, of the accesses of stages with axes, more have neighbours in
// memory along an axis of the kernel than along one of the stage.
func (s *Schedule) alongKernel() bool {
	n := 0
	for i := range s.k.Stages {
		st := &s.k.Stages[i]
		if len(st.Axes) == 0 {
			continue
		}
		for id := st.Begin; id < st.End; id++ {
			if a := body.Neighbours(s.k, id); a >= len(s.k.Axes) {
				n--
			} else if a >= 0 {
				n++
			}
		}
	}
	return n > 0
}

// others returns the axes before n but for those given.
func others(n int, but ...int) []int {
	var all []int
	for a := range n {
		if !slices.Contains(but, a) {
			all = append(all, a)
		}
	}
	return all
}

func (s *Schedule) asPoints() {
	n := len(s.k.Axes)
	if len(s.k.Stages) == 1 {
		n += len(s.k.Stages[0].Axes)
	}
	s.Form, s.Threads = Points, [2]int{256, 1}
	s.X = body.MostNeighbours(s.k, -1, 0, n)
	if s.tile(n); s.Form == Points && s.X >= 0 {
		s.Lanes = body.NewLanes(s.k, s.X, 0, body.VectorBytes)
		s.Lanes.Fill()
	}
	s.Outer = others(n, s.X, s.Across)
}

// tile makes Points Tiles if operands' neighbours lie along another axis.
func (s *Schedule) tile(axes int) {
	for id := range s.k.Instrs {
		i := &s.k.Instrs[id]
		if i.Op != kernel.Load || i.Mem.Local || i.Mem.Guard || s.k.Params[i.Mem.Param].Out {
			continue
		}
		a := body.Neighbours(s.k, kernel.ID(id))
		if a < 0 || a == s.X || s.Across >= 0 && a != s.Across {
			continue
		}
		plain, along := true, false
		for _, x := range i.Mem.Index {
			plain = plain && x.Value == kernel.None
			for _, t := range x.Terms {
				along = along || t.Axis == s.X
			}
		}
		if plain && along && len(s.Tiled) < 4 {
			s.Tiled, s.Across = append(s.Tiled, kernel.ID(id)), a
		}
	}
	if len(s.Tiled) > 0 {
		s.Form, s.Threads = Tiles, [2]int{columns, tileRows}
	}
}

func (s *Schedule) asColumns() {
	s.Form, s.Threads = Columns, [2]int{columns, 1}
	s.X = body.MostNeighbours(s.k, -1, 0, len(s.k.Axes))
	s.Outer = others(len(s.k.Axes), s.X)
	if s.reductions > 0 && !slices.Contains(s.InOrder, true) {
		s.Threads[1] = sliceCount
	}
}

func (s *Schedule) asRows() {
	s.Form, s.Threads = Rows, [2]int{256, 1}
	s.Outer = others(len(s.k.Axes))
	for i := range s.k.Stages {
		last := len(s.k.Axes) + len(s.k.Stages[i].Axes)
		first := len(s.k.Axes)
		if s.InOrder[i] {
			first = last - 1
		}
		s.Along = append(s.Along, body.MostNeighbours(s.k, i, first, last))
	}
	if s.k.Scans() && !slices.ContainsFunc(s.k.Stages, func(st kernel.Stage) bool { return len(st.Axes) > 0 && st.Scanned() == kernel.FreeAxis }) {
		s.Threads[0] = 32 // all work in the stages of scans
	}
	s.strips()
}
