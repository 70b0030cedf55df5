package reference

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/kernel"
	"ltc/soa"
)

// So does the program for no elements of one for all sizes, once it is compiled.
func TestProgramsForNoElementsCount(t *testing.T) {
	b, err := backends.Open("cpu")
	require.NoError(t, err)
	e, err := b.Compile(t.Context(), backends.NewModule("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n  %0 = stablehlo.sine %x : tensor<?xf32>\n  return %0 : tensor<?xf32>\n}\n"), backends.Options{})
	require.NoError(t, err)
	require.IsType(t, &openExecutable{}, e)
	grown := e.(backends.Growing).Grown()
	var took [3]int64
	for i, n := range []int{3, 0, 0} {
		require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: []soa.View{vec(t, make([]float32, n), n)}}))
		took[i] = grown.Load()
	}
	require.Greater(t, took[1], took[0]+1000)
	require.Equal(t, took[1], took[2])
}

// And so do constants that runs pack, of regions of loops, too, and of what is bound: once,
// as what a program has grown by and not as what it took.
func TestConstantsThatRunsPackCount(t *testing.T) {
	const text = `func.func @main(%x: tensor<TYPE> {ltc.constant}) -> tensor<TYPE> {
  %n = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<TYPE>
    cond {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.subtract %i, %one : tensor<i32>
      %w = stablehlo.sine %v : tensor<TYPE>
      stablehlo.return %j, %w : tensor<i32>, tensor<TYPE>
    }
  return %r#1 : tensor<TYPE>
}
`
	b, err := backends.Open("cpu")
	require.NoError(t, err)
	for _, typ := range []string{"4xf32", "?xf32"} {
		t.Run(typ, func(t *testing.T) {
			e, err := b.Compile(t.Context(), backends.NewModule(strings.ReplaceAll(text, "TYPE", typ)), backends.Options{})
			require.NoError(t, err)
			bound, err := e.Bind(t.Context(), map[int]soa.View{0: vec(t, []float32{1, 2, 3, 4}, 4)})
			require.NoError(t, err)
			for name, k := range map[string]*keeper{"program": keeperOf(e), "body": keeperOf(regionsIn(e)[0][1])} {
				grown, taken := e.(backends.Growing).Grown().Load(), e.(backends.Resident).ResidentBytes()
				for range 2 {
					k.Keep(kernel.Form{Key: name, Bytes: 1000, Write: func(unsafe.Pointer) {}})
				}
				require.Equal(t, grown+1000+int64(len(name)), e.(backends.Growing).Grown().Load(), name)
				require.Equal(t, taken, e.(backends.Resident).ResidentBytes(), name)
			}
			grown := bound.(backends.Growing).Grown().Load()
			keeperOf(bound).Keep(kernel.Form{Key: "bound", Bytes: 1000, Write: func(unsafe.Pointer) {}})
			require.Equal(t, grown+1005, bound.(backends.Growing).Grown().Load())
		})
	}
}

func keeperOf(e backends.Executable) *keeper {
	if s, ok := e.(*openExecutable); ok {
		return s.keeper
	}
	return e.(*compiled).keeper
}

func regionsIn(e backends.Executable) exec.Regions {
	if s, ok := e.(*openExecutable); ok {
		return s.Regions
	}
	return e.(*compiled).Regions
}
