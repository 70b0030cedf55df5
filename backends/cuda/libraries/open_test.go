package libraries

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The first library that can be used is: what is not there is passed over, and what is
// there but no library, or not one that can be used, is said.
func TestFirst(t *testing.T) {
	none, old := errors.New("no such library"), errors.New("too old")
	s := Sought{Variable: "LTC_LIBX", Install: "pip install x", NotFound: none}
	text := filepath.Join(t.TempDir(), "libx.so.13")
	require.NoError(t, os.WriteFile(text, []byte("text"), 0o755))
	const there = "libc.so.6"
	for _, c := range []struct {
		name  string
		names []string
		use   error
		want  string // of the error; empty: the library is there
		is    error
	}{
		{"none is wanted", []string{"none"}, nil, "no such library: LTC_LIBX is none", none},
		{"none is found", []string{"/nowhere/a.so", "/nowhere/b.so"}, nil,
			"no such library: looked for /nowhere/a.so, /nowhere/b.so: pip install x brings one, or name it in LTC_LIBX", none},
		{"the one that is named is not there", []string{"/nowhere/a.so"}, nil, "/nowhere/a.so", nil},
		{"a file that is none", []string{"/nowhere/a.so", text}, nil, text, nil},
		{"one that cannot be used", []string{"/nowhere/a.so", there}, old, "too old", old},
		{"one behind others", []string{"/nowhere/a.so", text, there}, nil, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := First(s, c.names, 13, func(path string, lookup func(string) uintptr, newest int) (string, error) {
				require.Equal(t, 13, newest)
				require.NotZero(t, lookup("malloc"))
				return path, c.use
			})
			if c.want == "" {
				require.NoError(t, err)
				require.Equal(t, there, got)
				return
			}
			require.ErrorContains(t, err, c.want)
			require.Equal(t, c.is == none, errors.Is(err, none))
			require.True(t, c.is == nil || errors.Is(err, c.is))
		})
	}
}
