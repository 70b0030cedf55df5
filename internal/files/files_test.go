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

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, s)
			return err
		}
	}
	require.NoError(t, Write(path, text("one")))
	require.NoError(t, os.Chmod(path, 0o640))
	require.NoError(t, os.Symlink(path, link))
	old, err := os.Open(path)
	require.NoError(t, err)
	defer old.Close()
	require.NoError(t, Write(link, text("two")))
	data, err := io.ReadAll(old)
	require.NoError(t, err)
	require.Equal(t, "one", string(data), "who had the file keeps it")
	require.ErrorIs(t, Write(path, func(io.Writer) error { return io.ErrShortWrite }), io.ErrShortWrite)
	data, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "two", string(data), "what failed changed nothing")
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 2)
	require.NoError(t, Write(os.DevNull, text("x")))
	require.Error(t, Write(filepath.Join(dir, "no", "a"), text("x")))
}
