package soa

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/hostmem"
	"ltc/ir/types"
)

// residentPages returns which pages of mem are in memory and show a file.
func residentPages(t *testing.T, mem []byte) []bool {
	t.Helper()
	pages, ok := hostmem.FilePages(mem)
	require.True(t, ok)
	return pages
}

// Pages that show the file leave the memory, and come back. Those that were written stay, and those
// that other views have a part of.
func TestUnload(t *testing.T) {
	const pages, written = 64, 10
	page := os.Getpagesize()
	data := bytes.Repeat([]byte("elements of a file "), pages*page/19+1)[:pages*page]
	path := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	b, err := MapFile(path)
	require.NoError(t, err)
	b.Bytes()[written*page] = 'X'
	data[written*page] = 'X'
	require.Equal(t, data, b.Bytes())

	v := b.ViewAt(100, types.Of(types.U8, len(data)-100-page/2))
	v.Unload()
	for i, there := range residentPages(t, b.Bytes()) {
		require.Equal(t, i == 0 || i == pages-1, there, "page %d", i)
	}
	require.Equal(t, data, b.Bytes())
	require.NotContains(t, residentPages(t, b.Bytes()[(written+1)*page:]), false)

	columns := b.View(types.Of(types.U8, pages, page))
	columns.Strides = []int{1, pages}
	columns.Unload()
	require.NotContains(t, residentPages(t, b.Bytes()[(written+1)*page:]), false, "it is not dense")
	b.Release()
	v.Unload()
}

// Other memory has nothing to come back from.
func TestUnloadOtherMemory(t *testing.T) {
	mapped, err := OffHeap(1 << 16)
	require.NoError(t, err)
	for _, b := range []*Buffer{New(1 << 16), mapped} {
		copy(b.Bytes()[1<<15:], "some")
		v := b.View(types.Of(types.U8, 1<<16))
		v.Unload()
		require.Equal(t, "some", string(b.Bytes()[1<<15:][:4]))
	}
	View{}.Unload()
}
