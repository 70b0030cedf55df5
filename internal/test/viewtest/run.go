package viewtest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/soa"
)

// program is a module with views that it is to be run on where they lie.
type program struct {
	name, text    string
	args, results []lie
}

// Want returns what f makes of the elements of three arguments.
func Want(c *backends.Call, f func(x, y, z float32) float32) []float32 {
	x, y, z := Floats(c.Args[0]), Floats(c.Args[1]), Floats(c.Args[2])
	var all []float32
	for i := range x {
		all = append(all, f(x[i], y[i], z[i]))
	}
	return all
}

// Run runs programs on views that are not dense and requires the results of dense
// ones, no byte copied, none written but elements of results, and no allocation.
// Executables must implement [backends.Copying]. Of a device that has its own memory
// the views are of that; then nothing is said of allocations.
func Run(t *testing.T, b backends.Backend) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) { p.run(t, b) })
	}
}

func (p *program) run(t *testing.T, b backends.Backend) {
	e, err := b.Compile(t.Context(), backends.NewModule(p.text), backends.Options{Threads: 1})
	require.NoError(t, err)
	d := on(b)
	plain, c := &backends.Call{Resident: d != nil}, &backends.Call{}
	var args, results []made
	for _, l := range p.args {
		m := l.make(t, d, false)
		args = append(args, m)
		plain.Args, c.Args = append(plain.Args, dense(t, d, m.View)), append(c.Args, m.View)
	}
	for _, l := range p.results {
		m := l.make(t, d, true)
		results = append(results, m)
		c.Results = append(c.Results, m.View)
	}
	require.NoError(t, e.Execute(t.Context(), plain))
	var before [][]float32
	for _, m := range args {
		before = append(before, slices.Clone(m.fetch(t)))
	}
	require.NoError(t, e.Execute(t.Context(), c))
	require.Zero(t, e.(backends.Copying).CopiedBytes(), "bytes copied")
	for i, m := range args {
		require.Equal(t, before[i], m.fetch(t), "argument %d", i)
	}
	for j, m := range results {
		require.InDeltaSlice(t, Floats(plain.Results[j]), Floats(m.View), 1e-4, "result %d", j)
		require.Equal(t, len(m.mem)-m.Type.Elements(), m.gaps(t), "result %d: what is not its own", j)
	}
	if d == nil {
		ctx := t.Context()
		require.Zero(t, trials.Allocs(10, func() {
			if err := e.Execute(ctx, c); err != nil {
				panic(err)
			}
		}), "allocations")
	}
	// Other strides of the same classes need no further variant.
	for i := range c.Args {
		c.Args[i] = p.args[i].wider().make(t, d, false).View
	}
	for j := range c.Results {
		results[j] = p.results[j].wider().make(t, d, true)
		c.Results[j] = results[j].View
	}
	require.NoError(t, e.Execute(t.Context(), c))
	for j, m := range results {
		require.InDeltaSlice(t, Floats(plain.Results[j]), Floats(m.View), 1e-4, "result %d, lying otherwise", j)
		require.Equal(t, len(m.mem)-m.Type.Elements(), m.gaps(t), "result %d, lying otherwise: what is not its own", j)
	}
	require.Zero(t, e.(backends.Copying).CopiedBytes(), "bytes copied")
}

// wider is l with greater distances and, of a table, another order.
func (l lie) wider() lie {
	l.strides, l.table = slices.Clone(l.strides), slices.Clone(l.table)
	slices.Reverse(l.table)
	for d, s := range l.strides {
		switch {
		case s > 1:
			l.strides[d] += 8 * (d + 1) * s
		case s < 0:
			l.strides[d] += 8 * (d + 1) * s
		}
	}
	return l
}

// columns are n elements of k columns that lie one after the other, with a gap.
func columns(n, k int) lie { return lie{shape: []int{n, k}, strides: []int{1, n + 5}} }

// records are n of so many elements, the first k of which are the view's.
func records(n, k, size int) lie { return lie{shape: []int{n, k}, strides: []int{size, 1}} }

// of is l's first component alone.
func (l lie) of(n int) lie { return lie{shape: []int{n}, strides: l.strides[:1]} }

// gathered are columns in an order of their own.
func gathered(n, k int) lie {
	l := lie{shape: []int{n, k}, strides: []int{1, 0}, axis: 1}
	for i := range k {
		l.table = append(l.table, (i*3+1)%k)
	}
	if k%3 == 0 {
		l.table = nil
		for i := range k {
			l.table = append(l.table, (i*5+2)%k)
		}
	}
	return l
}

// rowsOf are dense.
func rowsOf(shape ...int) lie { return lie{shape: shape, strides: soa.Dense(shape)} }

// odd is l, its memory aligned to its elements alone.
func (l lie) odd() lie {
	l.skip = 3
	return l
}

func tensor(shape ...int) string {
	s := "tensor<"
	for _, n := range shape {
		s += fmt.Sprintf("%dx", n)
	}
	return s + "f32>"
}
