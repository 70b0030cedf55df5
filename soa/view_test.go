package soa_test

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

func TestViewString(t *testing.T) {
	f32 := func(dims ...int) types.Type { return types.Of(types.F32, dims...) }
	row := soa.Make(f32(2, 3))
	repeated := row
	repeated.Strides = []int{0, 1}
	var a, b float32
	for want, v := range map[string]soa.View{
		"no view":                {},
		"f32[2,3] dense":         row,
		"f32[2,3] strides [0 1]": repeated,
		"f32[1000] dense":        soa.At(nil, f32(1000)), // reading it would fault
		"f32[2,1] strides [0 1] table along axis 0": {Type: f32(2, 1), Strides: []int{0, 1}, Table: []unsafe.Pointer{unsafe.Pointer(&a), unsafe.Pointer(&b)}},
	} {
		require.Equal(t, want, fmt.Sprint(v))
	}
	off, err := soa.OffHeap(64)
	require.NoError(t, err)
	require.Equal(t, "f32[16] dense off the Go heap", off.View(f32(16)).String())
}
