package soa_test

import (
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

// An error says which rule the call broke.
func TestErrorsNameTheRule(t *testing.T) {
	f32 := func(dims ...int) types.Type { return types.Of(types.F32, dims...) }
	v := soa.Make(f32(6))
	strided := func(typ types.Type, offset int, strides ...int) error {
		_, err := soa.Strided(make([]float32, 6), typ, offset, strides)
		return err
	}
	restride := func(typ types.Type, strides ...int) error {
		_, err := v.Restride(typ, 0, strides)
		return err
	}
	every, err := soa.Make(types.Of(types.I64, 6)).Restride(types.Of(types.I64, 3), 0, []int{2})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "x")
	_, created := soa.CreateShared(path, -1)
	none := soa.NewCollection(0)
	require.NoError(t, none.AddBatched("x", 2, soa.ViewColumn("v", soa.Make(f32(0)))))
	for want, err := range map[string]error{
		"f32[6] with strides [2] reaches outside of a slice of 6 elements":                                           strided(f32(6), 0, 2),
		"offset 6 is outside of a slice of 6 elements":                                                               strided(f32(1), 6, 1),
		"f32[2] with strides [1] at 5 reaches from element 5 to 6 of a slice of 6 elements":                          strided(f32(2), 5, 1),
		"restride of f32[6] to f64[6]: the dtypes differ":                                                            restride(types.Of(types.F64, 6), 1),
		"restride of f32[6] to f32[2,3]: 1 stride, want one for each dimension":                                      restride(f32(2, 3), 1),
		"create " + path + ": the size is -1 bytes: it must be at least 1":                                           created,
		"column J.offsets: its strides are [2]: offsets must be dense":                                               soa.JaggedColumn(soa.ViewColumn("J", v), soa.ViewColumn("J.offsets", every)).Err(),
		"collection: batch 0 is out of range: there are no batches: tensor x: column v: a batch has 2 of 0 elements": none.Batch(0, new(soa.Collection)),
	} {
		require.EqualError(t, err, want)
	}
	require.PanicsWithValue(t, "soa: slice of f32[6]: an element of uint16 has another size", func() { soa.Bits[uint16](v) })
	require.PanicsWithValue(t, "soa: slice of i64[3]: its strides are [2], but a slice is dense: Copy it to a dense view", func() { soa.Slice[int64](every) })
	offsets := []int64{0, 1, 4}
	jagged := soa.Of[struct{ J []float32 }](2, soa.Count("J", 3))
	values := func(i, k int) func() {
		return func() { jagged.Values(unsafe.Pointer(&offsets[0]), "J", i, k) }
	}
	require.PanicsWithError(t, "soa: layout struct: column J: element 0 has 1 value: there is no value 1", values(0, 1))
	require.PanicsWithError(t, "soa: layout struct: column J: the offsets of element 1 are 1 and 4: want ascending numbers from 0 to 3", values(1, 0))
}
