package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ireeScript stands in the place of IREE's compiler, and has it compile for a processor of AVX2 where the scripts name
// this one.
const ireeScript = `#!/bin/bash
exec "$SCRATCH"/jax/lib/python3*/site-packages/iree/compiler/_mlir_libs/iree-compile "${@/target-cpu=host/target-cpu=x86-64-v3}"
`

// withoutAVX512 tells our side and the peers, through the environment, to do without AVX-512. Peers
// that cannot be told are not asked.
func (r *runner) withoutAVX512() error {
	tools := filepath.Join(r.scratch, "avx2")
	if err := os.MkdirAll(tools, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tools, "iree-compile"), []byte(ireeScript), 0o777); err != nil {
		return err
	}
	for name, value := range map[string]string{
		"LTC_CPU_LEVEL":            "avx2",
		"XLA_FLAGS":                strings.TrimSpace(os.Getenv("XLA_FLAGS") + " --xla_cpu_max_isa=AVX2"),
		"ATEN_CPU_CAPABILITY":      "avx2", // PyTorch's kernels, and those that it compiles
		"ONEDNN_MAX_CPU_ISA":       "AVX2",
		"MKL_ENABLE_INSTRUCTIONS":  "AVX2",
		"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
		"OPENBLAS_CORETYPE":        "Haswell", // NumPy's products
		"IREE_TOOL_PATH":           tools,
	} {
		if err := os.Setenv(name, value); err != nil {
			return fmt.Errorf("-avx2: %w", err)
		}
	}
	for _, peer := range []string{"mlx", "ort", "ort_opt"} {
		r.miss(peer, "it cannot be told to do without AVX-512")
	}
	return nil
}
