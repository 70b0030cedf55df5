package arrows

import (
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// plain is a program without the compiler for CPUs.
const plain = `package main

import (
	"fmt"
	"os"

	_ "ltc/backends/reference"
	"ltc/lazy"
)

func main() {
	dev, err := lazy.Open("cpu")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float32{1, 2, 3})
	fmt.Println(x.Add(x).Sum().Float())
}
`

// A program that does not import the compiler is one file that needs no other:
// no interpreter, no shared library.
func TestStaticBinary(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems' programs always need the system's libraries")
	}
	dir := t.TempDir()
	source, overlay, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(source, []byte(plain), 0o600))
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	// As if it were a package of this module.
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "internal", "plain", "main.go"): source}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, list, 0o600))
	build := exec.Command("go", "build", "-overlay", overlay, "-o", program, "./internal/plain")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	f, err := elf.Open(program)
	require.NoError(t, err)
	defer f.Close()
	for _, p := range f.Progs {
		require.NotEqual(t, elf.PT_INTERP, p.Type)
		require.NotEqual(t, elf.PT_DYNAMIC, p.Type)
	}
	out, err = exec.Command(program).Output()
	require.NoError(t, err)
	require.Equal(t, "12\n", string(out))
}
