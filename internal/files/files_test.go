package files

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(file, []byte("12345"), 0o600))
	data, err := Read(file, 4, func(f *os.File, size int64) ([]byte, error) {
		require.EqualValues(t, 5, size)
		return io.ReadAll(f)
	})
	require.NoError(t, err)
	require.Equal(t, "12345", string(data), "the limit is for what has no size")
	_, err = Read(file+"x", 4, nil)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Read(filepath.Dir(file), 4, nil)
	require.Error(t, err)
}

func TestAtMost(t *testing.T) {
	data, err := AtMost("p", strings.NewReader("1234"), 4)
	require.NoError(t, err)
	require.Equal(t, "1234", string(data))
	_, err = AtMost("p", strings.NewReader("12345"), 4)
	require.EqualError(t, err, "p: more than 4 bytes, which is the most that is read of what is no regular file: write it to one")
}
