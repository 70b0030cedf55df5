//go:build amd64 || arm64

package libllvm

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A library that the linker has not relocated yet may disappear again: its pages are not released.
// At first all of it is mapped like its first part.
func TestFind(t *testing.T) {
	const (
		file     = "/lib/libLLVM.so"
		other    = "00400000-00480000 r-xp 00000000 fe:00 11   /usr/bin/program\n7f0000016000-7f0000017000 r--p 00000000 fe:00 13   /lib/libc.so\n"
		reserved = "7f0000010000-7f0000018000 r-xp 00000000 fe:00 12   /lib/libLLVM.so\n"
		code     = "7f0000010000-7f0000016000 r-xp 00000000 fe:00 12   /lib/libLLVM.so\n"
		mapped   = code + "7f0000016000-7f0000018000 rw-p 00005000 fe:00 12   /lib/libLLVM.so\n"
		done     = code + "7f0000016000-7f0000017000 r--p 00005000 fe:00 12   /lib/libLLVM.so\n7f0000017000-7f0000018000 rw-p 00006000 fe:00 12   /lib/libLLVM.so\n"
		base     = 0x7f0000010000
	)
	l := layout{fixed: [][2]uintptr{{0, 0x6000}}, protected: 0x6000}
	for _, c := range []struct {
		maps, file string
		base       uintptr
		relocated  bool
	}{
		{"", file, 0, false}, {other, file, 0, false}, {other + reserved, file, 0, false}, {other + code, file, 0, false},
		{other + mapped, file, base, false}, {other + done, file, base, true}, {other + done, file + ".1", 0, false},
	} {
		at, relocated := l.find(strings.NewReader(c.maps), c.file)
		require.Equal(t, c.base, at, c.maps)
		require.Equal(t, c.relocated, relocated, c.maps)
	}
}

// A file that is loaded elsewhere than it says, or none, has no layout.
func TestNoLayout(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	require.Zero(t, layoutOf(exe))
	require.Zero(t, layoutOf(os.DevNull))
}

// What the linker writes is no fixed part.
func TestLayout(t *testing.T) {
	library, err := Open()
	if err != nil {
		t.Skip(err) // it reads libLLVM's file
	}
	l := layoutOf(library.Path())
	require.NotEmpty(t, l.fixed)
	require.NotZero(t, l.protected)
	for i, part := range l.fixed {
		require.Less(t, part[0], part[1])
		require.False(t, part[0] <= l.protected && l.protected < part[1], "%x is in part %d, %x", l.protected, i, part)
	}
	require.GreaterOrEqual(t, len(library.pages), len(l.fixed))
}
