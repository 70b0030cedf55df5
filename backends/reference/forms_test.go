package reference

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/internal/hostmem"
	"ltc/ir/types"
	"ltc/soa"
)

// formOf returns a form of n bytes of a value, of an operand that nothing else is.
func formOf(key string, n int, value byte) kernel.Form {
	operand := new([2]int64)
	operands.Store(operand, true)
	return kernel.Form{Key: key, Of: []unsafe.Pointer{unsafe.Pointer(operand)}, Bytes: n, Write: func(to unsafe.Pointer) {
		all := unsafe.Slice((*byte)(to), n)
		for i := range all {
			if all[i] != 0 {
				panic("the memory is not zero")
			}
			all[i] = value
		}
	}}
}

// operands are there as long as keepers may have forms of them.
var operands sync.Map

// held returns how many forms there are whose key begins so.
func held(key string) (n int) {
	allForms.mu.Lock()
	defer allForms.mu.Unlock()
	for of, all := range allForms.all {
		if of.key == key {
			n += len(all)
		}
	}
	return n
}

// packedBytes requires that the bytes of all forms are counted, and returns them.
func packedBytes(t *testing.T) (bytes int64) {
	t.Helper()
	allForms.mu.Lock()
	defer allForms.mu.Unlock()
	for of, all := range allForms.all {
		bytes += int64(of.bytes * len(all))
	}
	require.Equal(t, bytes, hostmem.Packed())
	return bytes
}

// Programs that need the same form hold it once, wherever its operands are. Forms of other
// elements are others, also if all that was sampled is equal. A form is there as long as one of
// the programs is. Its bytes count once.
func TestProgramsShareForms(t *testing.T) {
	const key, n = "shared by a test", 1000
	first, second := new(keeper), &keeper{of: new(keeper)}
	a := first.Keep(formOf(key, n, 7))
	require.Equal(t, a, second.Keep(formOf(key, n, 7)))
	other := second.Keep(formOf(key, n, 8))
	require.NotEqual(t, a, other)
	require.NotEqual(t, a, second.Keep(formOf(key, n/2, 7)), "fewer bytes")
	require.NotEqual(t, a, second.Keep(formOf(key+" of another kind", n, 7)))
	require.Equal(t, 3, held(key))
	require.GreaterOrEqual(t, packedBytes(t), int64(2*n+n/2+n))
	require.EqualValues(t, n+len(key), first.made.Load(), "each program counts what it holds")
	require.EqualValues(t, 2*n+n/2+n+4*len(key)+len(" of another kind"), second.made.Load())
	first = nil
	runtime.GC()
	require.Equal(t, a, second.Keep(formOf(key, n, 7)))
	require.Equal(t, byte(7), *(*byte)(a))
	require.Equal(t, byte(8), *(*byte)(other))
	runtime.KeepAlive(second)
	second = nil
	for range 1000 {
		if runtime.GC(); held(key) == 0 {
			packedBytes(t)
			return
		}
		time.Sleep(time.Millisecond) // cleanups have a goroutine of their own
	}
	t.Errorf("%d forms are there of programs that are not", held(key))
}

// So do programs that pack at the same time.
func TestProgramsShareFormsAtOnce(t *testing.T) {
	const n = 4096
	for round := range 20 {
		var wait sync.WaitGroup
		keepers, at := [8]keeper{}, [8][3]unsafe.Pointer{}
		for i := range keepers {
			wait.Go(func() {
				for value := range at[i] {
					at[i][value] = keepers[i].Keep(formOf(fmt.Sprint("at once ", round), n, byte(value)))
				}
			})
		}
		wait.Wait()
		for i := range keepers {
			for value, p := range at[i] {
				require.Equal(t, byte(value), *(*byte)(unsafe.Add(p, n-1)))
			}
		}
		runtime.KeepAlive(&keepers)
	}
}

// What a program computes of its constants when they are bound is shared, too: the values of
// constants that have changed since then are others.
func TestProgramsShareWhatIsKnown(t *testing.T) {
	for _, rows := range []string{"40", "?"} {
		t.Run(rows, func(t *testing.T) {
			text := func(op string) string {
				return fmt.Sprintf(`func.func @main(%%x: tensor<%[1]sx24xf32>, %%a: tensor<24x16xf32> {ltc.constant}, %%b: tensor<16x20xf32> {ltc.constant}) -> tensor<%[1]sx20xf32> {
  %%p = stablehlo.dot_general %%a, %%b, contracting_dims = [1] x [0] : (tensor<24x16xf32>, tensor<16x20xf32>) -> tensor<24x20xf32>
  %%q = stablehlo.dot_general %%x, %%p, contracting_dims = [1] x [0] : (tensor<%[1]sx24xf32>, tensor<24x20xf32>) -> tensor<%[1]sx20xf32>
  %%r = stablehlo.%[2]s %%q : tensor<%[1]sx20xf32>
  return %%r : tensor<%[1]sx20xf32>
}`, rows, op)
			}
			b := new(Backend)
			filled := func(value float32, shape ...int) soa.View {
				v := soa.Make(types.Of(types.F32, shape...))
				for i := range soa.Slice[float32](v) {
					soa.Slice[float32](v)[i] = value
				}
				return v
			}
			x, a, w := filled(1, 40, 24), filled(2, 24, 16), filled(3, 16, 20)
			bind := func(op string) (backends.Executable, soa.View) {
				e, err := b.Compile(t.Context(), backends.NewModule(text(op)), backends.Options{})
				require.NoError(t, err)
				bound, err := e.Bind(t.Context(), map[int]soa.View{1: a, 2: w})
				require.NoError(t, err)
				var all []soa.View
				if s, ok := bound.(*openExecutable); ok {
					all = s.Known
				} else {
					all = bound.(*compiled).Known
				}
				for _, v := range all {
					if !v.IsZero() {
						return bound, v
					}
				}
				require.FailNow(t, "nothing is known")
				return nil, soa.View{}
			}
			run := func(e backends.Executable) float32 {
				c := &backends.Call{Args: []soa.View{x, {}, {}}}
				require.NoError(t, e.Execute(t.Context(), c))
				return soa.Slice[float32](c.Results[0])[799]
			}
			one, known := bind("negate")
			two, same := bind("abs")
			require.Equal(t, known.Base(), same.Base())
			require.EqualValues(t, -2*3*16*24, run(one))
			require.EqualValues(t, 2*3*16*24, run(two))
			soa.Slice[float32](w)[19] = 4
			three, other := bind("abs")
			require.NotEqual(t, known.Base(), other.Base())
			require.EqualValues(t, 2*(4+3*15)*24, run(three))
			require.EqualValues(t, 2*3*16*24, run(two))
		})
	}
}
