package files

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(file, []byte("12345"), 0o600))
	endless := func(r io.Reader) ([]byte, error) { return AtMost("p", r, 4) }
	data, err := Read(file, func(f *os.File, size int64) ([]byte, error) {
		require.EqualValues(t, 5, size)
		return io.ReadAll(f)
	}, endless)
	require.NoError(t, err)
	require.Equal(t, "12345", string(data), "the limit is for what has no size")
	_, err = Read(file+"x", nil, endless)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Read(filepath.Dir(file), nil, endless)
	require.Error(t, err)
}

// endless counts what is read of it.
type endless struct {
	of   byte
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.of
	}
	e.read += len(p)
	return len(p), nil
}

// Of what has no end no more is read than is promised or allowed, and a byte to see
// that there is more.
func TestEndlessReadersEnd(t *testing.T) {
	const many = 3 << 20
	e := &endless{of: 'a'}
	_, err := AtMost("p", e, many)
	require.ErrorContains(t, err, "p: more than 3145728 bytes, which is the most that is read")
	require.Equal(t, many+1, e.read)

	e = &endless{of: 'a'}
	_, err = ReadDeclared("p", []byte("head"), e, many)
	require.EqualError(t, err, "p: more than the 3145728 bytes that its header says: the header does not describe all of it")
	require.Equal(t, many-len("head")+1, e.read)

	e = &endless{}
	_, err = AtMost("p", Text(io.MultiReader(strings.NewReader("abc"), e)), many)
	require.EqualError(t, err, "p: byte 3 is 0: it is no text, or none in UTF-8")
	require.LessOrEqual(t, e.read, 1<<10)
}

func TestReadDeclaredTakesWhatTheHeaderSays(t *testing.T) {
	for _, n := range []int{0, 1, 1 << 20, 3<<20 + 1} {
		want := "head" + strings.Repeat("b", n)
		data, err := ReadDeclared("p", []byte("head"), strings.NewReader(want[4:]), len(want))
		require.NoError(t, err)
		require.True(t, string(data) == want, n)
	}
	_, err := ReadDeclared("p", []byte("head"), strings.NewReader("ab"), 1<<40)
	require.EqualError(t, err, "p: truncated: it has 6 bytes, and 1099511627776 by its header")
	_, err = ReadDeclared("p", []byte("head"), strings.NewReader("ab"), 3)
	require.ErrorContains(t, err, "more than the 3 bytes")
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

// A process that was killed cannot remove what it had written; the next write does,
// of nothing but files of the names that it gives.
func TestWriteRemovesWhatKilledProcessesLeft(t *testing.T) {
	dir := t.TempDir()
	path, old := filepath.Join(dir, "w.npy"), time.Now().Add(-2*time.Hour)
	for name, kept := range map[string]bool{
		"w.npy.0123abcd.new": false, "w.npy.ffffffff.new": true, "w.npy.0123abc.new": true, "w.npy.0123abcx.new": true,
		"v.npy.0123abcd.new": true, "w.npy.new": true, "w.npy.0123abcd": true,
	} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		if name != "w.npy.ffffffff.new" { // which is being written
			require.NoError(t, os.Chtimes(file, old, old))
		}
		require.NoError(t, Write(path, func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err }))
		_, err := os.Stat(file)
		require.Equal(t, kept, err == nil, name)
	}
}
