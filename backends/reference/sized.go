package reference

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/kernel"
	"ltc/mlir"
	"ltc/soa"
)

// sized is a program that leaves one size open and runs as kernels for every
// size: compiled once, with the numbers of the run at hand.
type sized struct {
	sig    *backends.Signature
	at     []openDim // where the size stands, at least once
	bounds [2]int    // of the size, both included
	family *kit.Family
	codes  []kernel.Code
	file   string
	o      backends.Options
	bound  map[int]soa.View
	pool   *sync.Pool // of *fitted
	copied *atomic.Int64

	compilers []kernel.Compiler
	variants  *variants[*sized] // for views that are not dense; nil where all are copied
	views     *viewed           // of a variant
}

// openDim is a dimension of an argument.
type openDim struct{ arg, dim int }

// fitted is the program for one size at a time. A run has it for itself.
type fitted struct {
	member *kit.Member
	n      int
	e      *compiled // nil before the first run
}

// compileSized compiles a program whose main leaves one size open. The error
// wraps [kit.ErrNotCompiled] if it cannot be one program for all sizes.
func (b *Backend) compileSized(ctx context.Context, m backends.Module, o backends.Options, p *backends.Program, compilers []kernel.Compiler) (backends.Executable, error) {
	s := &sized{sig: p.Signature, file: p.File, o: o, copied: new(atomic.Int64)}
	var err error
	if s.at, s.bounds, err = openDims(p.Module); err != nil {
		return nil, errors.Join(kit.ErrNotCompiled, err)
	}
	s.family, err = kit.CompileFamily(ctx, s.bounds, func(n int) (*kit.Program, error) {
		p, err := backends.LoadOpen(ctx, m, o)
		if err != nil {
			return nil, err
		}
		if err := closeProgram(ctx, p, s.shapes(n)); err != nil {
			return nil, err
		}
		return b.kernels(ctx, p, o, compilers)
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, errors.Join(kit.ErrNotCompiled, err)
	}
	if s.codes, err = codesOf(ctx, nil, s.family.Kernels(), compilers); err != nil {
		return nil, err
	}
	s.pool = &sync.Pool{New: func() any { return &fitted{member: s.family.Member(), n: -1} }}
	s.compilers = compilers
	s.vary()
	return s, nil
}

// vary has s make variants.
func (s *sized) vary() {
	s.variants = newVariants(s, s.Program(), func(i int) bool { return !s.bound[i].IsZero() }, s.variant)
}

// variant returns what s is for views with layouts.
func (s *sized) variant(ctx context.Context, views *viewed) (*sized, error) {
	n := len(s.sig.Args)
	family, err := s.family.Variant(views.lays[:n], views.lays[n:])
	if err != nil {
		return nil, err
	}
	x := *s
	x.family, x.views, x.variants = family, views, nil
	if x.codes, err = codesOf(ctx, s.codes, family.Kernels(), s.compilers); err != nil {
		return nil, err
	}
	x.pool = &sync.Pool{New: func() any { return &fitted{member: x.family.Member(), n: -1} }}
	return &x, nil
}

// shapes returns the shapes of the arguments for a size.
func (s *sized) shapes(n int) [][]int {
	all := make([][]int, len(s.sig.Args))
	for i, a := range s.sig.Args {
		for _, d := range a.Type.Shape {
			if d == backends.AnySize {
				d = n
			}
			all[i] = append(all[i], d)
		}
	}
	return all
}

// openDims returns where the one size stands that a module's arguments leave
// open, and its bounds: there is one such dimension, or all have one name
// (ltc.dim).
func openDims(m *mlir.Module) (at []openDim, bounds [2]int, err error) {
	bounds = [2]int{0, int(^uint(0) >> 1)}
	main := m.Func("main")
	name, named := "", true
	for i, t := range main.FuncType().Ins {
		tt, ok := t.(*mlir.TensorType)
		if !ok {
			continue
		}
		if tt.Bounds() != nil {
			return nil, bounds, fmt.Errorf("argument %d is %v: a size that is only bounded is known of each value alone", i, tt)
		}
		for d, n := range tt.Shape {
			if n != mlir.Dynamic {
				continue
			}
			symbol := backends.DimName(main, i, d)
			if len(at) > 0 && (symbol != name || symbol == "") {
				named = false
			}
			name, at = symbol, append(at, openDim{i, d})
		}
	}
	switch {
	case len(at) == 0:
		return nil, bounds, fmt.Errorf("no argument tells the sizes that the text leaves open")
	case !named:
		return nil, bounds, fmt.Errorf("more than one size is open: give those that are the same one name by ltc.dim")
	}
	if lo, hi, ok := backends.DimBounds(m, name); ok {
		bounds = [2]int{lo, hi}
	}
	return at, bounds, nil
}

// Signature returns what the program takes and gives.
func (s *sized) Signature() *backends.Signature { return s.sig }

// Artifact returns an error: compiled programs are cached, not yet saved.
func (s *sized) Artifact() ([]byte, error) { return (*compiled)(nil).Artifact() }

// CopiedBytes is how many bytes runs have copied, as [backends.Copying] has it.
func (s *sized) CopiedBytes() int64 { return s.copied.Load() }

// Compiled returns how many kernels a run launches; the evaluator runs nothing.
func (s *sized) Compiled() (kernels, evaluated int) { return len(s.family.Member().Program.Steps), 0 }

// Program returns the program for the first of the sizes that it was found from.
func (s *sized) Program() *kit.Program { return s.family.Member().Program }

// Bind fixes constants. It copies them.
func (s *sized) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := backends.CheckBind(s.sig, constants); err != nil {
		return nil, err
	}
	b := *s
	b.copied, b.bound = new(atomic.Int64), map[int]soa.View{}
	for i, v := range s.bound {
		b.bound[i] = v
	}
	copies := 0 // bytes
	for i, v := range constants {
		if err := fitsCopy(&copies, i, v); err != nil {
			return nil, err
		}
		d := soa.Make(v.Type)
		soa.TouchRead(v)
		copyInto(d, v)
		b.bound[i] = d
	}
	b.pool = &sync.Pool{New: func() any { return &fitted{member: s.family.Member(), n: -1} }}
	b.vary()
	return &b, nil
}

// Execute runs the program for the size that its arguments have.
func (s *sized) Execute(ctx context.Context, c *backends.Call) error {
	n, err := s.size(c)
	if err != nil {
		return err
	}
	x, f, err := s.fitted(ctx, c, n, true)
	if err == nil && f.e.long && ctx.Done() != nil { // it writes no memory of the caller before its end
		x.pool.Put(f)
		x, f, err = s.fitted(ctx, c, n, false)
	}
	if err != nil {
		return err
	}
	before := f.e.copied.Load()
	err = f.e.Execute(ctx, c)
	s.copied.Add(f.e.copied.Load() - before)
	x.pool.Put(f)
	return err
}

// fitted returns the program for size n and the views of a call, which goes back
// to the pool of the variant that it is of. direct says that results may be written
// where they belong.
func (s *sized) fitted(ctx context.Context, c *backends.Call, n int, direct bool) (*sized, *fitted, error) {
	x := s
	if s.variants != nil && s.fits(c) {
		var err error
		if x, err = s.variants.forCall(ctx, c, direct); err != nil {
			return nil, nil, err
		}
	}
	f := x.pool.Get().(*fitted)
	if f.n != n {
		if err := x.fit(ctx, f, n); err != nil {
			return nil, nil, err
		}
	}
	return x, f, nil
}

// fits reports whether the views of a call can be looked at; why not is for
// [backends.CheckCall] to say.
func (s *sized) fits(c *backends.Call) bool {
	if len(c.Results) == 0 {
		c.Results = make([]soa.View, len(s.sig.Results))
	}
	if len(c.Args) != len(s.sig.Args) || len(c.Results) != len(s.sig.Results) {
		return false
	}
	for i := range c.Args {
		if s.bound[i].IsZero() && backends.Fits(c.Args[i], s.sig.Args[i].Type) != nil {
			return false
		}
	}
	for j := range c.Results {
		if !c.Results[j].IsZero() && backends.Fits(c.Results[j], s.sig.Results[j].Type) != nil {
			return false
		}
	}
	return true
}

// size returns the size that the arguments of a call have.
func (s *sized) size(c *backends.Call) (int, error) {
	n := -1
	for _, d := range s.at {
		if d.arg >= len(c.Args) || d.dim >= c.Args[d.arg].Type.Rank() {
			continue // for CheckCall to say
		}
		if s.bound != nil && !s.bound[d.arg].IsZero() {
			n = s.bound[d.arg].Type.Shape[d.dim]
			continue
		}
		m := c.Args[d.arg].Type.Shape[d.dim]
		if n >= 0 && m != n {
			return 0, fmt.Errorf("execute: dimension %d of argument %d is %d, and %d of an argument before it", d.dim, d.arg, m, n)
		}
		n = m
	}
	if n < 0 {
		return 0, backends.CheckCall(s.sig, c, nil)
	}
	if n < s.bounds[0] || n > s.bounds[1] {
		return 0, fmt.Errorf("execute: %d elements: the program is for %d to %d", n, s.bounds[0], s.bounds[1])
	}
	return n, nil
}

// fit makes f the program for size n.
func (s *sized) fit(ctx context.Context, f *fitted, n int) error {
	if err := f.member.Resize(n); err != nil {
		return fmt.Errorf("execute: %w", err)
	}
	e, err := newCompiled(ctx, s.file, f.member.Program, s.codes, s.o, s.views)
	if err != nil {
		return err
	}
	f.e = e
	if s.bound != nil {
		b, err := e.Bind(ctx, s.bound)
		if err != nil {
			return err
		}
		f.e = b.(*compiled)
	}
	f.n = n
	return nil
}
