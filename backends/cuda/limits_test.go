package cuda

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sort"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// doubled leaves a size open, and donates.
const doubled = `func.func public @main(%a: tensor<?x3xf32> {tf.aliasing_output = 0 : i32}) -> tensor<?x3xf32> {
  %0 = stablehlo.add %a, %a : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}`

// Whatever the limit is, a run ends well or says that it is reached, its arguments as they
// were: there is one from which on it ends well, and none below. Nothing is left behind.
func TestLimits(t *testing.T) {
	trials.Sequential(t)
	factors := factorsOf(rand.New(rand.NewPCG(1, 1)), 0)[0]
	turns := soa.Make(types.Of(types.I32))
	soa.Slice[int32](turns)[0] = 3
	for name, program := range map[string]limited{
		"update": {update, updateArgs()},
		"loop":   {powers, []soa.View{turns, soa.Make(types.Of(types.F32, 4, 4))}},
		"host":   {interrupted, []soa.View{factors}},
		"beside": {sortedBeside, []soa.View{factors, soa.Make(types.Of(types.F32))}},
		"open":   {doubled, []soa.View{soa.Make(types.Of(types.F32, 4, 3))}},
	} {
		for _, way := range []struct{ queued, resident bool }{{false, false}, {true, true}} {
			t.Run(fmt.Sprintf("%s %v", name, way), func(t *testing.T) { program.try(t, way.queued, way.resident) })
		}
	}
}

type limited struct {
	text string
	args []soa.View
}

// try looks for the least limit.
func (p *limited) try(t *testing.T, queued, resident bool) {
	b, _ := backend(t, cudafake.Options{Seed: 1})
	q := b.dev.home
	if queued {
		q = queue(t, b.dev)
	}
	x, err := b.Compile(t.Context(), backends.NewModule(p.text), backends.Options{})
	require.NoError(t, err)
	want := results(t, p.text, p.args...)
	const plenty = 1 << 11
	ends := func(limit int) bool {
		b.dev.Limit(1 << 30)
		c := &backends.Call{Resident: resident, Queue: q}
		for _, a := range p.args {
			w := soa.Make(a.Type)
			if resident {
				w, err = b.Make(a.Type)
				require.NoError(t, err)
			}
			require.NoError(t, soa.Copy(w, a))
			c.Args = append(c.Args, w)
		}
		b.dev.Limit(live(t, b.dev) + int64(limit))
		err := x.Execute(t.Context(), c)
		require.NoError(t, q.Wait(t.Context()))
		b.dev.Limit(1 << 30)
		if err != nil {
			var short *MemoryError
			require.ErrorAs(t, err, &short, "%d", limit)
			for i, a := range p.args {
				require.Equal(t, words(t, a), words(t, c.Args[i]), "%d: argument %d", limit, i)
			}
			return false
		}
		for j := range want {
			require.Equal(t, words(t, want[j]), words(t, c.Results[j]), "%d: result %d", limit, j)
		}
		return true
	}
	require.True(t, ends(plenty)) // what is made at first is made
	least := sort.Search(plenty, ends)
	require.Equal(t, least > 0, !ends(0))
	require.Less(t, least, plenty)
	require.True(t, ends(least))
	x = nil
	require.Zero(t, live(t, b.dev))
}

// live is what is in use when nothing is kept that need not be.
func live(t *testing.T, d *Device) int64 {
	for range 2 {
		runtime.GC()
		time.Sleep(time.Millisecond) // the collector's cleanups run
	}
	require.NoError(t, d.Trim())
	u, err := d.Usage()
	require.NoError(t, err)
	require.Zero(t, u.Kept)
	return u.Live
}

// words returns the elements of a view as patterns of 32 bits.
func words(t *testing.T, v soa.View) []uint32 {
	w := soa.Make(v.Type)
	require.NoError(t, soa.Copy(w, v))
	return soa.Bits[uint32](w)
}
