package cudnn

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/libraries"
	"ltc/internal/cheader"
)

// header returns those of NVIDIA's that declare what is called, where pip puts the
// package nvidia-cudnn-cu13, or with a toolkit.
func header(t *testing.T) *cheader.Header {
	texts, err := libraries.Headers("cudnn_graph.h", "cudnn_ops.h", "cudnn_cnn.h")
	if err != nil {
		t.Skipf("%v: pip install nvidia-cudnn-cu13 brings it", err)
	}
	return cheader.New(texts...)
}

// The table is the library's: names, and what they take and return.
func TestHeader(t *testing.T) {
	h := header(t)
	there := map[string]libraries.Entry{}
	for _, f := range h.Functions("CUDNNWINAPI") {
		there[f.Name] = libraries.Entry{Name: f.Name, Args: f.Args, Result: f.Result}
	}
	require.Greater(t, len(there), 100)
	for _, e := range Entries() {
		require.Equal(t, there[e.Name], e)
	}
	require.Regexp(t, `cudnnConvolutionFwdAlgo_t algo;\s+cudnnStatus_t status;\s+float time;\s+size_t memory;\s+cudnnDeterminism_t determinism;\s+cudnnMathType_t mathType;\s+int reserved\[3\];\s+} cudnnConvolutionFwdAlgoPerf_t`, h.Text)
	require.EqualValues(t, 48, unsafe.Sizeof(performance{}), "as C lays that out")
	require.EqualValues(t, 16, unsafe.Offsetof(performance{}.memory))
	require.EqualValues(t, 24, unsafe.Offsetof(performance{}.determinism))
}

// Numbers that the package has of its own are those of the headers.
func TestHeaderNumbers(t *testing.T) {
	there := header(t).Numbers()
	same := func(name string, number int) {
		require.Contains(t, there, name)
		require.Equal(t, there[name], number, name)
	}
	for status, name := range statuses {
		same(name, int(status))
	}
	for name, number := range map[string]int{
		"CUDNN_DATA_FLOAT": int(F32), "CUDNN_DATA_HALF": int(F16), "CUDNN_DATA_BFLOAT16": int(BF16),
		"CUDNN_TENSOR_OP_MATH": int(Tensor), "CUDNN_FMA_MATH": int(FMA),
		"CUDNN_TENSOR_NHWC": formatNHWC, "CUDNN_CROSS_CORRELATION": crossCorrelation, "CUDNN_DETERMINISTIC": deterministic,
		"CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM": 0, "CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM": 1, "CUDNN_CONVOLUTION_FWD_ALGO_GEMM": 2,
		"CUDNN_CONVOLUTION_FWD_ALGO_DIRECT": direct, "CUDNN_CONVOLUTION_FWD_ALGO_FFT": direct + 1, "CUDNN_CONVOLUTION_FWD_ALGO_COUNT": algorithms,
	} {
		same(name, number)
	}
}

// NVIDIA's library, where it is installed, takes the descriptions as they are made;
// that needs no GPU.
func TestNVIDIA(t *testing.T) {
	l, err := Open(99)
	if err != nil {
		t.Skip(err)
	}
	t.Log(l.Path(), l.Version())
	h := &Handle{Library: l}
	for _, p := range []*Problem{flat(), {Type: F32, Math: FMA, Dimensions: 3, Groups: 2,
		X: Images{2, 8, [3]int32{3, 4, 5}, 480, [3]int32{160, 40, 8}}, Y: Images{2, 6, [3]int32{2, 3, 4}, 144, [3]int32{72, 24, 6}},
		Window: [3]int32{2, 2, 2}, Stride: [3]int32{1, 1, 1}, Dilation: [3]int32{1, 1, 1}}} {
		x, err := h.New(p, Algorithm{})
		require.NoError(t, err)
		require.ErrorIs(t, x.h.fn.Set(tensorSet, &x.frame, x.x, uintptr(p.Type), 99, address(&x.shape[0]), address(&x.strides[0])), NotSupported, "more dimensions than there can be")
		require.NoError(t, x.Destroy())
	}
}

// flat is a convolution of two images 5x6 with 8 features.
func flat() *Problem {
	return &Problem{Type: BF16, Math: Tensor, Dimensions: 2, Groups: 1,
		X: Images{2, 8, [3]int32{5, 6}, 240, [3]int32{48, 8}}, Y: Images{2, 16, [3]int32{5, 6}, 480, [3]int32{96, 16}},
		Window: [3]int32{3, 3}, Pad: [3]int32{1, 1}, Stride: [3]int32{1, 1}, Dilation: [3]int32{1, 1}}
}

// Where there is no library, the error names it, and what brings one.
func TestNoLibrary(t *testing.T) {
	_, err := libraries.First(sought(), []string{"none"}, 13, use)
	require.ErrorIs(t, err, ErrNotFound)
	require.EqualError(t, err, "no cuDNN: LTC_LIBCUDNN is none")
	_, err = libraries.First(sought(), []string{"/nowhere/a.so", "/nowhere/b.so"}, 13, use)
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorContains(t, err, ": pip install nvidia-cudnn-cu13 brings one, or name it in LTC_LIBCUDNN")
	_, err = libraries.First(sought(), []string{"libc.so.6"}, 13, use)
	require.ErrorIs(t, err, ErrVersion)
	require.ErrorContains(t, err, "libc.so.6 has no cudnnGetVersion")
}
