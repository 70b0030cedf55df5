package objcache

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// mount returns a file system of its own that holds some bytes.
func mount(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+size); err != nil {
		t.Skipf("no file system for the test: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// A full disk costs one warning; what was kept is found.
func TestFullDisk(t *testing.T) {
	dir := mount(t, "256k")
	var warnings []string
	c := New(Options{Dir: dir, Warn: func(err error) { warnings = append(warnings, err.Error()) }})
	for i := range 30 {
		c.Put(parts(i), "", content(i))
	}
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0], "no space left on device")
	hits := 0
	for i := range 30 {
		if object, ok := c.Get(parts(i).Key()); ok {
			hits++
			require.Equal(t, content(i), object)
		}
	}
	require.Greater(t, hits, 2)
	_, writing, err := c.files()
	require.NoError(t, err)
	require.Empty(t, writing, "what could not be written is removed")
}

// A directory that cannot be written is read all the same.
func TestReadOnlyDisk(t *testing.T) {
	dir := mount(t, "1m")
	New(Options{Dir: dir}).Put(parts(1), "", content(1))
	old := filepath.Join(dir, "objects", parts(2).Key().String())
	require.NoError(t, os.WriteFile(old, []byte("damaged"), 0o600))
	require.NoError(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	var warnings []string
	c := New(Options{Dir: dir, Warn: func(err error) { warnings = append(warnings, err.Error()) }})
	for range 2 {
		object, ok := c.Get(parts(1).Key())
		require.True(t, ok)
		require.Equal(t, content(1), object)
		_, ok = c.Get(parts(2).Key())
		require.False(t, ok)
	}
	require.Empty(t, warnings)
	c.Put(parts(2), "", content(2))
	c.Put(parts(3), "", content(3))
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0], "read-only file system")
}

// Two processes do not remove files at the same time.
func TestEvictionIsLocked(t *testing.T) {
	c, _ := fresh(t, 100_000)
	require.NoError(t, os.MkdirAll(c.Dir(), 0o700))
	root, err := c.open()
	require.NoError(t, err)
	defer root.Close()
	unlock, ok, err := lock(root, "lock")
	require.NoError(t, err)
	require.True(t, ok)
	for i := range 10 {
		c.Put(parts(i), "", make([]byte, 20_000))
	}
	objects, _, err := c.files()
	require.NoError(t, err)
	require.Len(t, objects, 10)
	unlock()
	c.Put(parts(10), "", make([]byte, 20_000))
	objects, _, err = c.files()
	require.NoError(t, err)
	require.Less(t, len(objects), 6)
}

// Nobody waits for somebody to write into a pipe that stands where an object
// should; the object takes its place.
func TestPipe(t *testing.T) {
	var warnings []string
	c := New(Options{Dir: t.TempDir(), Warn: func(err error) { warnings = append(warnings, err.Error()) }})
	path := filepath.Join(c.Dir(), parts(1).Key().String())
	require.NoError(t, os.MkdirAll(c.Dir(), 0o700))
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	_, ok := c.Get(parts(1).Key())
	require.False(t, ok)
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0], "is not a regular file")
	c.Put(parts(1), "", content(1))
	object, ok := c.Get(parts(1).Key())
	require.True(t, ok)
	require.Equal(t, content(1), object)
}
