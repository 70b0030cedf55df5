package cheader

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeader(t *testing.T) {
	h := New(`
/* a comment:
   int CUDAAPI cuGone(void); */
typedef struct CUctx_st *CUcontext; // CU_GONE = 7,
typedef struct thing *cublasThing_t CUBLAS_DEPRECATED;
enum { CU_ONE = 1, CU_TWO CUBLAS_DEPRECATED_ENUM = 2U,
  CU_THREE
};
CUresult CUDAAPI cuMake(CUcontext *ctx, unsigned int flags,
    const CUdevice dev, size_t n);
CUresult CUDAAPI cuTake(CUcontext ctx, const cublasThing_t x, const int list[], unsigned long long a, int64_t b, CUdeviceptr p, cudaStream_t s);
`, `size_t CUBLASWINAPI cublasGetVersion(void);`)
	require.Equal(t, []Function{{"cuMake", "puiz", "i"}, {"cuTake", "hhpqldh", "i"}}, h.Functions("CUDAAPI"))
	require.Equal(t, []Function{{"cublasGetVersion", "", "z"}}, h.Functions("CUBLASWINAPI"))
	require.Equal(t, map[string]int{"CU_ONE": 1, "CU_TWO": 2}, h.Numbers())
}
