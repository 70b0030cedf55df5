package prebuilt_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/backends/reference/llvm/prebuilt"
	"ltc/backends/reference/llvm/rowsort"
	"ltc/backends/reference/llvm/tileloops"
	"ltc/backends/reference/llvm/vector"
	"ltc/internal/test/golden"
	"ltc/ir/types"
)

// units returns what the objects are of, in the order of the index.
func units() []gemm.Unit {
	var all []gemm.Unit
	seen := map[string]bool{}
	for _, level := range []vector.Level{vector.AVX2, vector.AVX512, vector.AVX512BF16} {
		for _, u := range gemm.Usual(gemm.Machine{Machine: vector.Machine{Level: level}}) {
			if !seen[file(u)] {
				seen[file(u)] = true
				all = append(all, u)
			}
		}
	}
	for _, level := range []vector.Level{vector.AVX2, vector.AVX512} {
		all = append(all, tileloops.Units(level)...)
	}
	return append(all, rowsort.Units(vector.AVX512)...)
}

func file(u gemm.Unit) string { return filepath.Join(u.On.String(), u.Name+".o") }

// The objects are of the texts of today, and what their version of LLVM makes of
// them, where that is the one at hand. Those of other texts are written by any.
func TestObjects(t *testing.T) {
	list := ""
	for _, u := range units() {
		list += fmt.Sprintf("%v %s %x\n", u.On, u.Name, sha256.Sum256([]byte(u.Text())))
	}
	by, old, _ := strings.Cut(prebuilt.Index(), "\n")
	library, err := libllvm.Open()
	if !errors.Is(err, libllvm.ErrNotFound) {
		require.NoError(t, err)
	}
	var here string
	if library != nil {
		here = library.String()
	}
	if golden.Update() && library != nil && (here == by || old != list) {
		write(t, library, here+"\n"+list)
		return
	}
	require.Equal(t, list, old, "products, loops of tiles or sorts are of other texts than the objects: make generate writes them")
	if here != by {
		t.Skipf("the objects were made by %s; here is %q", by, here)
	}
	for _, u := range units() {
		require.Equal(t, object(t, library, u), prebuilt.Object(u.On.String(), u.Name), file(u))
	}
}

func object(t *testing.T, l *libllvm.Library, u gemm.Unit) []byte {
	t.Helper()
	o, err := l.Compile(context.Background(), u.Text(), libllvm.Options{Verify: true})
	require.NoError(t, err, file(u))
	return o
}

func write(t *testing.T, l *libllvm.Library, index string) {
	require.NoError(t, os.RemoveAll("objects"))
	for _, u := range units() {
		path := filepath.Join("objects", file(u))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, object(t, l, u), 0o644))
	}
	require.NoError(t, os.WriteFile("objects/index.txt", []byte(index), 0o644))
}

// Every processor from AVX2 on finds all that plain products of floats need;
// others, and other elements, find nothing.
func TestPlans(t *testing.T) {
	machine := func(l vector.Level, vnni bool) gemm.Machine {
		return gemm.Machine{Machine: vector.Machine{Level: l}, VNNI: vnni}
	}
	f32 := gemm.Dense(types.F32, types.F32, types.F32, types.F32, 1, 64, 512, 784)
	f64 := gemm.Dense(types.F64, types.F64, types.F64, types.F64, 3, 1, 300, 20)
	turned := f32
	turned.StrideA, turned.StrideB, turned.StrideC = [3]int{0, 1, 64}, [3]int{0, 1, 784}, [3]int{0, 1, 64}
	bf16 := gemm.Dense(types.BF16, types.BF16, types.F32, types.BF16, 1, 1000, 1000, 1000)
	bytes := gemm.Problem{A: types.U8, B: types.U8, Acc: types.I32, C: types.I32, Signed: [2]bool{true, true}, Batch: 1, M: 100, N: 100, K: 100}
	for _, c := range []struct {
		on    gemm.Machine
		p     gemm.Problem
		there bool
	}{
		{machine(vector.AVX2, false), f32, true},
		{machine(vector.AVX512, false), turned, true},
		{machine(vector.AVX512, true), f32, true},
		{machine(vector.AVX512BF16, true), f64, true},
		{machine(vector.AVX512BF16, true), turned, true},
		{machine(vector.AVX512BF16, true), bf16, true},
		{machine(vector.AVX512BF16, false), bf16, true},
		{machine(vector.AVX512, true), bytes, false},
		{machine(vector.SSE2, false), f32, false},
		{machine(vector.NEON, false), f32, false},
	} {
		q, err := gemm.New(c.p, c.on)
		require.NoError(t, err)
		for _, u := range q.Units() {
			require.Equal(t, c.there, prebuilt.Object(u.On.String(), u.Name) != nil, "%v on %v: %s", c.p, c.on, file(u))
		}
	}
}
