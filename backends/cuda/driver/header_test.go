package driver

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/cheader"
)

// header returns NVIDIA's cuda.h: of a toolkit, or where pip puts the package
// nvidia-cuda-runtime, in the folder of tools/ptxas/install.sh, in the environment of now or in
// the Python that is in PATH.
func header(t *testing.T) *cheader.Header {
	roots := []string{"../../../.venv-ptxas/*/nvidia/*/include", "/usr/local/cuda*/include"}
	if env := os.Getenv("VIRTUAL_ENV"); env != "" {
		roots = append(roots, filepath.Join(env, "lib", "python*", "site-packages", "nvidia", "*", "include"))
	}
	if out, err := exec.Command("python3", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").Output(); err == nil {
		roots = append(roots, filepath.Join(strings.TrimSpace(string(out)), "nvidia", "*", "include"))
	}
	for _, r := range roots {
		found, err := filepath.Glob(filepath.Join(r, "cuda.h"))
		require.NoError(t, err)
		if len(found) > 0 {
			text, err := os.ReadFile(found[0])
			require.NoError(t, err)
			return cheader.New(string(text))
		}
	}
	t.Skip("there is no cuda.h: tools/ptxas/install.sh brings it, where there is pip")
	return nil
}

var renamed = regexp.MustCompile(`(?m)^\s*#\s*define\s+(cu\w+)\s+(?:__CUDA_API_PTSZ\()?(cu\w+)`)

// exported returns what the library exports by a header, and the letters of each
// function's arguments: see [Entry].
func exported(h *cheader.Header) map[string]string {
	now := map[string]string{}
	for _, m := range renamed.FindAllStringSubmatch(h.Text, -1) {
		if now[m[1]] == "" {
			now[m[1]] = m[2]
		}
	}
	found := map[string]string{}
	seen := map[string]bool{}
	for _, f := range h.Functions("CUDAAPI") {
		name := f.Name
		// The first declaration has the meaning of now, of which the preprocessor
		// makes another name; later ones are those of old.
		if to := now[name]; to != "" && !seen[name] {
			name = to
		}
		seen[f.Name] = true
		if _, twice := found[name]; !twice {
			found[name] = f.Args
		}
	}
	return found
}

// The table is the library's: names, and what they take.
func TestHeader(t *testing.T) {
	h := header(t)
	there := exported(h)
	require.Greater(t, len(there), 400)
	for _, e := range Entries() {
		args, ok := there[e.Name]
		if !ok {
			t.Errorf("cuda.h does not declare %s", e.Name)
		} else if args != e.Args {
			t.Errorf("%s takes %q in cuda.h and %q in the table", e.Name, args, e.Args)
		}
	}
}

// Codes have the numbers and names of the header.
func TestHeaderCodes(t *testing.T) {
	there := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\s*(CUDA_(?:SUCCESS|ERROR_\w+))\s*=\s*(\d+)`).FindAllStringSubmatch(header(t).Text, -1) {
		there[m[1]] = m[2]
	}
	require.Greater(t, len(there), 60)
	for code, k := range codes {
		require.Equal(t, there[k.name], itoa(code), k.name)
	}
}

// Numbers that the package has of its own are those of the header.
func TestHeaderNumbers(t *testing.T) {
	h := header(t).Text
	for name, want := range map[string]int{
		"CU_JIT_ERROR_LOG_BUFFER": jitErrorLog, "CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES": jitErrorLogSize,
		"CU_MEMPOOL_ATTR_RELEASE_THRESHOLD": poolThreshold, "CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT": poolReserved,
		"CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH": poolReservedHigh, "CU_MEMPOOL_ATTR_USED_MEM_CURRENT": poolUsed, "CU_MEMPOOL_ATTR_USED_MEM_HIGH": poolUsedHigh,
		"CU_MEM_ALLOCATION_TYPE_PINNED": pinned, "CU_MEM_LOCATION_TYPE_DEVICE": onDevice, "CU_MEM_ACCESS_FLAGS_PROT_READWRITE": readWrite,
		"CU_JIT_INPUT_PTX": linkPTX, "CU_STREAM_NON_BLOCKING": nonBlocking, "CU_EVENT_DISABLE_TIMING": disableTiming,
		"CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK": functionThreads, "CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES": functionShared,
		"CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES": functionLocal, "CU_FUNC_ATTRIBUTE_NUM_REGS": functionRegisters, "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES": functionDynamic,
		"CU_STREAM_CAPTURE_MODE_THREAD_LOCAL": threadLocal, "CU_STREAM_CAPTURE_MODE_RELAXED": relaxed, "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION": clusterDimension,
		"CU_TENSOR_MAP_DATA_TYPE_BFLOAT16": int(TensorBF16), "CU_TENSOR_MAP_SWIZZLE_128B": int(Swizzle128), "CU_TENSOR_MAP_L2_PROMOTION_L2_256B": promote256,
		"CU_GRAPH_NODE_TYPE_KERNEL": int(KernelNode), "CU_GRAPH_NODE_TYPE_MEMCPY": int(CopyNode), "CU_GRAPH_NODE_TYPE_MEMSET": int(FillNode), "CU_GRAPH_NODE_TYPE_HOST": int(HostNode),
		"CU_GRAPH_NODE_TYPE_EMPTY": int(EmptyNode), "CU_GRAPH_NODE_TYPE_GRAPH": int(GraphNode),
		"CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT":     16,
		"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR": 75, "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 97,
		"CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED": 115, "CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH": 120, "CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED": 127,
	} {
		number, known := value(h, name)
		require.True(t, known, name)
		require.Equal(t, want, number, name)
	}
}

// value finds the number of a constant of an enumeration: those without one follow
// the constant before.
func value(header, name string) (int, bool) {
	for _, body := range regexp.MustCompile(`(?s)enum\s+\w+\s*\{(.*?)\}`).FindAllStringSubmatch(header, -1) {
		last := -1
		for _, item := range strings.Split(body[1], ",") {
			id, number, given := strings.Cut(strings.TrimSpace(item), "=")
			last++
			if given {
				last = parse(strings.TrimSpace(number))
			}
			if strings.TrimSpace(id) == name {
				return last, true
			}
		}
	}
	return 0, false
}
