package driver

import (
	"errors"
	"strconv"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func itoa(c Code) string { return strconv.Itoa(int(c)) }

func parse(s string) int {
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		return -1 // an expression
	}
	return int(n)
}

// Structures that the library reads have the sizes and places of C's.
func TestLayouts(t *testing.T) {
	require.EqualValues(t, 56, unsafe.Sizeof(launchConfig{}))
	require.EqualValues(t, 32, unsafe.Offsetof(launchConfig{}.stream))
	require.EqualValues(t, 72, unsafe.Sizeof(launchAttribute{}))
	require.EqualValues(t, 72, unsafe.Sizeof(kernelNode{}))
	require.EqualValues(t, 40, unsafe.Offsetof(kernelNode{}.params))
	require.EqualValues(t, 88, unsafe.Sizeof(poolProps{}))
	require.EqualValues(t, 12, unsafe.Sizeof(access{}))
	var m TensorMap
	require.Zero(t, uintptr(unsafe.Pointer(m.aligned()))%64)
	require.Zero(t, unsafe.Offsetof(jit{}.values)%8)
}

// Every place in the table is filled, with letters that there are.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for i, e := range entries {
		require.NotEmpty(t, e.Name, "entry %d", i)
		require.False(t, seen[e.Name], e.Name)
		require.Regexp(t, `^[ibwuqzdhp]{0,12}$`, e.Args, e.Name)
		seen[e.Name] = true
	}
}

func TestNoDriver(t *testing.T) {
	for _, c := range []struct {
		names []string
		says  string
	}{
		{[]string{"none"}, "cuda: no CUDA driver: LTC_LIBCUDA is none"},
		{[]string{"libnosuchcuda.so.1"}, "install NVIDIA's driver, or name its libcuda.so.1 in LTC_LIBCUDA"},
	} {
		d, err := open(c.names)
		require.Nil(t, d)
		require.ErrorIs(t, err, ErrNoDriver)
		require.ErrorContains(t, err, c.says)
	}
	_, err := Use(func(string) uintptr { return 0 })
	require.ErrorIs(t, err, ErrNoDriver)
}

func TestErrors(t *testing.T) {
	e := &Error{Call: "cuMemAlloc_v2", Code: OutOfMemory, What: "64 bytes of device 1"}
	require.ErrorIs(t, e, OutOfMemory)
	require.Equal(t, "cuda: cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2): the device has too little memory left: use smaller batches, "+
		"release tensors, or see with nvidia-smi who else uses it: 64 bytes of device 1", e.Error())
	require.Equal(t, "cuda: cuInit: code 4711: said", (&Error{Call: "cuInit", Code: 4711, Text: "said"}).Error())
	require.True(t, IllegalAddress.Lost())
	require.False(t, OutOfMemory.Lost())
	l := &LostError{Device: 1, First: &Error{Call: "cuStreamSynchronize", Code: LaunchFailed}}
	require.ErrorIs(t, l, LaunchFailed)
	var first *Error
	require.True(t, errors.As(l, &first))
}

// What a compiler says gets the lines that it speaks of.
func TestExplained(t *testing.T) {
	text := []byte(".version 7.0\n.target sm_80\n\tfoo.f32 %f1;\n")
	require.Equal(t, "ptxas application ptx input, line 3; error: no foo\n\t3 | foo.f32 %f1;\nfatal",
		explained("ptxas application ptx input, line 3; error: no foo\nfatal", text))
	require.Equal(t, "line 9", explained("line 9", text))
}
