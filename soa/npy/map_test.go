package npy

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

func TestMap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	want := []float32{1, 2, 3, 4, 5, 6}
	v, err := soa.Borrow(want, types.Of(types.F32, 2, 3))
	require.NoError(t, err)
	require.NoError(t, WriteFile(path, v))

	m, err := Map(path)
	require.NoError(t, err)
	require.Equal(t, v.Type, m.Type)
	for range 3 {
		soa.Collect()
	}
	got := soa.Make(m.Type)
	require.NoError(t, soa.Copy(got, m))
	require.Equal(t, want, soa.Slice[float32](got))

	// Written back from the mapping, it is the file again; what is written to
	// the mapping stays out of the file.
	again := filepath.Join(t.TempDir(), "y.npy")
	require.NoError(t, WriteFile(again, m))
	soa.With(m, func(s []float32) { s[0] = -1 })
	first, err := os.ReadFile(path)
	require.NoError(t, err)
	second, err := os.ReadFile(again)
	require.NoError(t, err)
	require.Equal(t, first, second)

	// Over the file that is mapped, which stays there for who has mapped it.
	require.NoError(t, WriteFile(path, m))
	third, err := ReadFile(path)
	require.NoError(t, err)
	want[0] = -1
	require.Equal(t, want, soa.Slice[float32](third))
	soa.With(m, func(s []float32) { require.Equal(t, want, s) })
}

func TestMapErrors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.npy")
	_, err := Map(path)
	require.ErrorContains(t, err, "map array: stat ")
	_, err = Map(dir)
	require.ErrorContains(t, err, "it is not a regular file: copy it to a regular file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err = Map(path)
	require.ErrorContains(t, err, `not a .npy file: starts with ""`)
	require.NoError(t, os.WriteFile(path, []byte("\x93NUMPY\x01\x00\x40\x00{}"), 0o600))
	_, err = Map(path)
	require.ErrorContains(t, err, "truncated: the header takes 64 bytes")

	empty, err := soa.Borrow([]int64{}, types.Of(types.I64, 0))
	require.NoError(t, err)
	require.NoError(t, WriteFile(path, empty))
	m, err := Map(path)
	require.NoError(t, err)
	require.Zero(t, m.Type.Elements())
}
