//go:build unix

package objcache

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// put returns a cache with an object, the path of its file, and what it warns of.
func put(t *testing.T) (c *Cache, path string, warnings *[]string) {
	warnings = new([]string)
	c = New(Options{Dir: t.TempDir(), Warn: func(err error) { *warnings = append(*warnings, err.Error()) }})
	c.Put(parts(1), "", content(1))
	_, ok := c.Get(parts(1).Key())
	require.True(t, ok)
	return c, filepath.Join(c.Dir(), parts(1).Key().String()), warnings
}

// What another user may have written is not run, whoever asks: root trusts root alone.
func TestOnlyOwnFilesAreTrusted(t *testing.T) {
	const other = 12345
	for name, test := range map[string]struct {
		spoil func(dir, path string) error
		want  string
	}{
		"a file of another user":          {func(_, path string) error { return os.Chown(path, other, -1) }, "belongs to another user"},
		"a directory of another user":     {func(dir, _ string) error { return os.Chown(dir, other, -1) }, "belongs to another user"},
		"a file that a group may write":   {func(_, path string) error { return os.Chmod(path, 0o620) }, "others may write there"},
		"a file that all may write":       {func(_, path string) error { return os.Chmod(path, 0o602) }, "others may write there"},
		"a directory that a group writes": {func(dir, _ string) error { return os.Chmod(dir, 0o770) }, "others may write there"},
		"a directory that all write":      {func(dir, _ string) error { return os.Chmod(dir, 0o1777) }, "others may write there"},
		"a link to an object": {func(_, path string) error {
			if err := os.Rename(path, path+"-"); err != nil {
				return err
			}
			return os.Symlink(filepath.Base(path)+"-", path)
		}, "is not a regular file"},
		"a link to a directory": {func(dir, _ string) error {
			if err := os.Rename(dir, dir+"-"); err != nil {
				return err
			}
			return os.Symlink(dir+"-", dir)
		}, "is not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			c, path, warnings := put(t)
			if err := test.spoil(c.Dir(), path); os.IsPermission(err) {
				t.Skip(err)
			} else {
				require.NoError(t, err)
			}
			_, ok := c.Get(parts(1).Key())
			require.False(t, ok)
			require.Len(t, *warnings, 1)
			require.Contains(t, (*warnings)[0], test.want)
		})
	}
}

// A file that says it is large, and takes no room on disk, is not read into memory.
func TestSparseObjectsAreNotRead(t *testing.T) {
	c, path, _ := put(t)
	head, err := os.ReadFile(path)
	require.NoError(t, err)
	const size = 1 << 40
	length := head[headerSize-8:]
	text := int(head[headerSize-12]) | int(head[headerSize-11])<<8
	for i, n := 0, size-headerSize-text; i < 8; i, n = i+1, n>>8 {
		length[i] = byte(n)
	}
	require.EqualValues(t, size, says(head))
	require.NoError(t, os.WriteFile(path, head, 0o600))
	if err := os.Truncate(path, size); err != nil {
		t.Skip(err)
	}
	_, ok := c.Get(parts(1).Key())
	require.False(t, ok)
	require.NoFileExists(t, path, "it is damaged")
}

// Eviction and clearing remove files of the cache's names, and nothing that only looks
// like one.
func TestEvictionLeavesOtherNames(t *testing.T) {
	c, _ := fresh(t, 100_000)
	c.Put(parts(100), "", nil) // makes the directory
	old := time.Now().Add(-1000 * time.Hour)
	for _, name := range []string{"thesis.tex", "tmp-notes", parts(0).Key().String() + "0"} {
		file := filepath.Join(c.Dir(), name)
		require.NoError(t, os.WriteFile(file, make([]byte, 60_000), 0o600))
		require.NoError(t, os.Chtimes(file, old, old))
	}
	for i := range 20 {
		c.Put(parts(i), "", make([]byte, 30_000))
	}
	_, evicted := c.Get(parts(0).Key())
	require.False(t, evicted)
	_, kept := c.Get(parts(19).Key())
	require.True(t, kept, "other files take no room of objects")
	for _, name := range []string{"thesis.tex", "tmp-notes", parts(0).Key().String() + "0"} {
		require.FileExists(t, filepath.Join(c.Dir(), name))
	}
}

func TestOnlyOwnNamesAreRemoved(t *testing.T) {
	c, path, _ := put(t)
	key := parts(2).Key().String()
	stay := []string{"tmp-", "tmp-notes", "tmp-12.txt", "thesis.tex", key[:63], key + "0"}
	for _, name := range stay {
		require.NoError(t, os.WriteFile(filepath.Join(c.Dir(), name), []byte("mine"), 0o600))
	}
	stay = append(stay, key, "tmp-77")
	require.NoError(t, os.Mkdir(filepath.Join(c.Dir(), key), 0o700))
	require.NoError(t, os.Symlink("thesis.tex", filepath.Join(c.Dir(), "tmp-77")))
	require.NoError(t, os.WriteFile(filepath.Join(c.Dir(), "tmp-4711"), nil, 0o600))
	_, _, err := c.Verify()
	require.NoError(t, err)
	n, _, err := c.Clear()
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.NoFileExists(t, path)
	require.NoFileExists(t, filepath.Join(c.Dir(), "tmp-4711"))
	for _, name := range stay {
		_, err := os.Lstat(filepath.Join(c.Dir(), name))
		require.NoError(t, err)
	}
}
