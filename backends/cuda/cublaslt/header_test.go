package cublaslt

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/libraries"
	"ltc/internal/test/cheader"
)

// header returns some of NVIDIA's: of a toolkit, or where pip puts the packages
// nvidia-cublas and nvidia-cuda-runtime.
func header(t *testing.T, names ...string) *cheader.Header {
	texts, err := libraries.Headers(names...)
	if err != nil {
		t.Skipf("%v: pip install nvidia-cublas nvidia-cuda-runtime brings it", err)
	}
	return cheader.New(texts...)
}

// The table is the library's: names, and what they take and return.
func TestHeader(t *testing.T) {
	h := header(t, "cublasLt.h")
	there := map[string]libraries.Entry{}
	for _, f := range h.Functions("CUBLASWINAPI") {
		there[f.Name] = libraries.Entry{Name: f.Name, Args: f.Args, Result: f.Result}
	}
	require.Greater(t, len(there), 30)
	for _, e := range Entries() {
		require.Equal(t, there[e.Name], e)
	}
	require.Regexp(t, fmt.Sprintf(`uint64_t data\[%d\];\s*} cublasLtMatmulAlgo_t;`, len(Algorithm{}.data)), h.Text)
	require.EqualValues(t, 96, unsafe.Sizeof(heuristic{}), "cublasLtMatmulHeuristicResult_t")
}

// Numbers that the package has of its own are those of the headers.
func TestHeaderNumbers(t *testing.T) {
	there := header(t, "cublasLt.h", "cublas_api.h", "library_types.h").Numbers()
	same := func(name string, number int) {
		require.Contains(t, there, name)
		require.Equal(t, there[name], number, name)
	}
	for status, name := range statuses {
		same(name, int(status))
	}
	for name, number := range map[string]int{
		"CUDA_R_32F": int(F32), "CUDA_R_64F": int(F64), "CUDA_R_16F": int(F16), "CUDA_R_16BF": int(BF16), "CUDA_R_8I": int(I8), "CUDA_R_32I": int(I32),
		"CUBLAS_COMPUTE_32F": int(ComputeF32), "CUBLAS_COMPUTE_64F": int(ComputeF64), "CUBLAS_COMPUTE_32I": int(ComputeI32), "CUBLAS_COMPUTE_32F_FAST_TF32": int(ComputeTF32),
		"CUBLASLT_EPILOGUE_DEFAULT": int(Plain), "CUBLASLT_EPILOGUE_BIAS": int(Bias),
		"CUBLASLT_MATMUL_DESC_TRANSA": descTransA, "CUBLASLT_MATMUL_DESC_TRANSB": descTransB, "CUBLASLT_MATMUL_DESC_EPILOGUE": descEpilogue,
		"CUBLASLT_MATMUL_DESC_BIAS_POINTER": descBias, "CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE": descBiasType,
		"CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT": layoutProducts, "CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET": layoutApart, "CUBLAS_OP_T": transposed,
		"CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES": preferWorkspace, "CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES": preferAlignA, "CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES": preferAlignA + 3,
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
	for _, p := range []*Problem{
		{A: Matrix{BF16, 64, 72, 80, 6400}, B: Matrix{BF16, 72, 128, 72, 0}, D: Matrix{BF16, 64, 128, 64, 8192}, Products: 3, Compute: ComputeF32, Epilogue: Bias, Bias: BF16, Align: 16,
			C: Matrix{BF16, 64, 128, 96, 12288}, Adds: true},
		{A: Matrix{F64, 72, 64, 72, 0}, B: Matrix{F64, 128, 72, 128, 0}, D: Matrix{F64, 64, 128, 64, 0}, TransA: true, TransB: true, Products: 1, Compute: ComputeF64, Epilogue: Plain, Align: 16},
	} {
		x, err := h.New(p, Algorithm{})
		require.NoError(t, err)
		if p.Epilogue == Bias {
			require.NoError(t, l.attribute(&x.frame, descSet, x.desc, descBias, 1<<20, 8))
		}
		require.ErrorIs(t, l.attribute(&x.frame, descSet, x.desc, descEpilogue, 1, 7), InvalidValue, "a size that is wrong")
		require.NoError(t, x.Destroy())
	}
}

// Where there is no library, the error names it, and what brings one.
func TestNoLibrary(t *testing.T) {
	_, err := libraries.First(sought(), []string{"none"}, 13, use)
	require.ErrorIs(t, err, ErrNotFound)
	require.EqualError(t, err, "no cuBLASLt: LTC_LIBCUBLASLT is none")
	_, err = libraries.First(sought(), []string{"/nowhere/a.so", "/nowhere/b.so"}, 13, use)
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorContains(t, err, ": pip install nvidia-cublas brings one, or name it in LTC_LIBCUBLASLT")
	_, err = libraries.First(sought(), []string{"libc.so.6"}, 13, use)
	require.ErrorIs(t, err, ErrVersion)
	require.ErrorContains(t, err, "libc.so.6 has no cublasLtGetVersion")
}
