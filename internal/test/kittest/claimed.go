package kittest

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/programs"
	"ltc/ir/types"
	"ltc/soa"
)

// claimedSizes are sizes that programs run at, one after the other.
var claimedSizes = [][2]int{{4, 9}, {1, 3}, {300, 40}, {2, 3000}, {1, 7}, {0, 9}, {9, 1}, {1, 1}, {3, 700}, {5, 0}, {1100, 5}, {0, 0}, {3, 5000}}

// SameAsNumbers requires that b gives, of a program of [programs.Claimed] whose sizes are open,
// what it gives of programs of numbers, to the bit. It returns the executable of the open sizes.
func SameAsNumbers(t *testing.T, b backends.Backend, name string) backends.Executable {
	t.Helper()
	text := programs.Claimed[name]
	compile := func(text string) backends.Executable {
		e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{Threads: 2})
		require.NoError(t, err, text)
		return e
	}
	open := compile(programs.OfSizes(text, "?", "?"))
	for k, n := range claimedSizes {
		if strings.HasPrefix(name, "the first") && n[1] < 3 || name == "cholesky" && n[1] > 40 {
			continue
		}
		numbers := compile(programs.OfSizes(text, n[0], n[1]))
		r := rand.New(rand.NewPCG(uint64(k), 3))
		want, got := &backends.Call{}, &backends.Call{}
		for _, arg := range numbers.Signature().Args {
			v := soa.Make(arg.Type)
			fillClaimed(v, r)
			want.Args, got.Args = append(want.Args, v), append(got.Args, v)
		}
		require.NoError(t, numbers.Execute(t.Context(), want))
		require.NoError(t, open.Execute(t.Context(), got))
		for j := range want.Results {
			require.Equal(t, want.Results[j].Type, got.Results[j].Type)
			require.Equal(t, bytesOf(want.Results[j]), bytesOf(got.Results[j]), "%s: sizes %v", name, n)
		}
	}
	return open
}

func bytesOf(v soa.View) []byte { return unsafe.Slice((*byte)(v.Base()), v.Type.Bytes()) }

// fillClaimed fills matrices with small numbers and a large diagonal, and other operands with
// numbers of which many are equal, NaNs and zeros of either sign.
func fillClaimed(v soa.View, r *rand.Rand) {
	last := 0
	if shape := v.Type.Shape; len(shape) > 2 {
		last = shape[len(shape)-1]
	}
	for i := range v.Type.Elements() {
		x := r.Float64()*2 - 1
		switch {
		case last > 0:
			if x /= 64; i%last == i/last%v.Type.Shape[1] {
				x += 4
			}
		case r.IntN(4) == 0:
			x = []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(-1), 0.5}[r.IntN(5)]
		}
		switch v.Type.DType {
		case types.F64:
			soa.Slice[float64](v)[i] = x
		case types.F32:
			soa.Slice[float32](v)[i] = float32(x)
		default:
			soa.Slice[int32](v)[i] = int32(r.IntN(50) - 25)
		}
	}
}
