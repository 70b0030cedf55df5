package gemm

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Options say what products may rely on and leave of exactness.
type Options struct {
	TF32       bool // tensor cores may multiply f32, of whose 24 bits they take 11
	Hopper     bool // entries may be for sm_90a alone: warpgroups multiply
	Processors int  // multiprocessors; 0: about as many as large GPUs have
	Shared     int  // bytes of blocks' memory of a multiprocessor; 0: as many as H100's
}

// manyProcessors is how many multiprocessors large GPUs have, roughly.
const manyProcessors = 128

// Schedule is how a GPU runs a product of matrices: by tiles, if it sums in f32, else by
// squares.
type Schedule struct {
	k     *kernel.Kernel
	c     *kernel.Contraction
	x, y  int   // the axes of columns and of rows
	outer []int // the other axes that points are of, outermost first
	tiles []tile
	// Of tiles:
	Lanes   body.Lanes  // that a thread has of the result
	inner   int         // the axis of K along which strips lie
	element types.DType // that is multiplied
	plain   int         // how many of the tiles have neither tensor maps nor flat rows: the first
	flat    int         // the first of the flat ones; 0: there are none
	options Options
}

// contraction returns the contraction of a kernel that is a product of matrices.
func contraction(k *kernel.Kernel) (*kernel.Contraction, bool) {
	c, ok := kernel.AsContraction(k)
	return c, ok && len(c.M) > 0 && !body.LoadsOut(k)
}

// Plan returns the schedule of a kernel; nil if it is no product of matrices.
func Plan(k *kernel.Kernel, o Options) *Schedule {
	c, ok := contraction(k)
	if !ok {
		return nil
	}
	o.Processors, o.Shared = cmp.Or(o.Processors, manyProcessors), cmp.Or(o.Shared, 228<<10)
	s := &Schedule{k: k, c: c, x: c.N[len(c.N)-1], y: c.M[len(c.M)-1], options: o}
	for a := range k.Axes {
		if a != s.x && a != s.y {
			s.outer = append(s.outer, a)
		}
	}
	if t, ok := elements(k, c); ok {
		s.planTiles(t)
	}
	return s
}

// planTiles has the product computed by tiles, of factors of a type.
func (s *Schedule) planTiles(t types.DType) {
	s.element = t
	all := tileTable(t, s.options.TF32, s.options.Hopper)
	for _, t := range all {
		s.tiles = append(s.tiles, t.paired(s.options.Shared))
	}
	s.inner = s.c.K[len(s.c.K)-1]
	for _, f := range []*kernel.Factor{&s.c.A, &s.c.B} { // along which a factor is read in chunks
		if load := loadOf(s.k, f); load != kernel.None && slices.Contains(s.c.K, body.Neighbours(s.k, load)) {
			s.inner = body.Neighbours(s.k, load)
		}
	}
	axis := s.x // lanes lie as what is stored does
	if body.MostNeighbours(s.k, len(s.k.Stages)-1, 0, len(s.k.Axes)) == s.y {
		axis = s.y
	}
	// What follows a product often adds f32 to what is stored as bf16: two loads are one's.
	s.Lanes = body.NewLanes(s.k, axis, s.k.Stages[0].End, 2*body.VectorBytes)
	s.Lanes.Fill()
	s.plain = len(all)
	for _, t := range mapTiles {
		if _, _, ok := s.tensorMaps(&t); ok && all[largeTile].groups && asm.RoundUp(body.Parameters(s.k), mapWords/2)+2*mapWords <= asm.MostParameters {
			s.tiles = append(s.tiles, t)
		}
	}
	if s.flattens() {
		s.flat = len(s.tiles)
		for _, t := range all {
			t.flat = len(s.c.M)
			s.tiles = append(s.tiles, t.paired(s.options.Shared))
		}
	}
}

// Tensor reports whether the product is computed by tiles: by tensor cores, but for f32
// that is to be exact.
func (s *Schedule) Tensor() bool { return s.tiles != nil }

// String prints the schedule with the kernel's names of axes.
func (s *Schedule) String() string {
	names := func(before string, axes ...int) string {
		for _, a := range axes {
			before += " " + s.k.Axis(0, a).Name
		}
		return before
	}
	form, lanes, tiles, outer := fmt.Sprintf("product of %dx%d", across, across), "", "", ""
	if s.Tensor() {
		all, flat := s.tiles, ""
		if s.flat > 0 {
			all, flat = all[:s.flat], names(", rows of", s.c.M...)
		}
		form = fmt.Sprintf("tensor of %dx1", all[largeTile].threads())
		tiles = fmt.Sprintf("%s of %v, tiles %s%s", names(", along", s.inner), s.element, tileNames(all), flat)
	}
	if s.Lanes.N > 1 {
		lanes = fmt.Sprint(" by ", s.Lanes.N)
	}
	if len(s.outer) > 0 {
		outer = names(", blocks", s.outer...)
	}
	return form + names(" threads, x", s.x) + lanes + names(", across", s.y) + tiles + outer
}

// Variants is how many entries the schedule has.
func (s *Schedule) Variants() int { return max(1, len(s.tiles)) }

// Hopper reports whether the entry that a launch takes is for GPUs of sm_90a alone.
func (s *Schedule) Hopper(l asm.Launch) bool { return s.Tensor() && s.tiles[l.Variant].groups }

// Launch returns the launch for run-time sizes; of no blocks, if there is nothing to run.
func (s *Schedule) Launch(sizes []int64) asm.Launch {
	if !s.Tensor() {
		l := asm.Launch{Block: [3]int{across, across, 1}, Shared: 2 * depth * stride * elementBytes}
		l.SetGrid(asm.Ceil(s.points(sizes, s.x), side), asm.Ceil(s.points(sizes, s.y), side), s.points(sizes, s.outer...))
		return l
	}
	all := s.share(sizes)
	t := &s.tiles[all.variant]
	l := asm.Launch{Variant: all.variant, Block: [3]int{t.threads(), 1, 1}, Shared: t.shared()}
	l.SetGrid(t.count(all.rows, all.columns), 1, all.many)
	return l
}

// Variant returns the text of an entry by a name: the one that launches of the number
// take.
func (s *Schedule) Variant(name string, n int) (string, error) {
	w := body.New(name, s.k, [2]int{across, across}, &s.Lanes)
	if s.Tensor() {
		s.writeTile(w, &s.tiles[n])
	} else {
		s.writeSquares(w)
	}
	if w.Err != nil {
		return "", w.Err
	}
	return w.Text(), nil
}

// points is how many points some axes have.
func (s *Schedule) points(sizes []int64, axes ...int) int64 {
	n := int64(1)
	for _, a := range axes {
		n *= s.k.Axis(0, a).Size.Of(sizes)
	}
	return n
}

// sums is how a launch shares out the sums: by which of the tiles, and of
// how many rows, columns and products.
type sums struct {
	variant             int
	rows, columns, many int64
}

// computed is how many sums there are with those that tiles have too many.
func (x *sums) computed(all []tile) int64 {
	t := &all[x.variant]
	return t.count(x.rows, x.columns) * int64(t.rows*t.columns) * x.many
}

// share chooses the tile for run-time sizes: a flat one, unless rows of the last axis
// fill tiles of that size as well.
func (s *Schedule) share(sizes []int64) sums {
	enough := int64(s.options.Processors) // tiles keep all busy
	x := sums{rows: s.points(sizes, s.y), columns: s.points(sizes, s.x), many: s.points(sizes, s.outer...)}
	x.variant = tileFor(s.tiles[:s.plain], x.rows, x.columns, x.many, enough)
	if s.flat == 0 || slices.ContainsFunc(s.c.M, func(a int) bool { return s.points(sizes, a) > math.MaxInt32 }) {
		return x
	}
	flat := sums{rows: s.points(sizes, s.c.M...), columns: x.columns, many: s.points(sizes, s.tileAxes(len(s.c.M))...)}
	all := s.tiles[s.flat:]
	flat.variant = tileFor(all, flat.rows, flat.columns, flat.many, enough)
	if !s.guarded() && flat.variant == x.variant && flat.computed(all) >= x.computed(s.tiles) {
		return x
	}
	flat.variant += s.flat
	return flat
}

// tileAxes are the axes that tiles are of, each with one product: of flat tiles none of M.
func (s *Schedule) tileAxes(flat int) []int {
	if flat == 0 {
		return s.outer
	}
	return slices.DeleteFunc(slices.Clone(s.outer), func(a int) bool { return slices.Contains(s.c.M, a) })
}
