package objcache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fresh returns a cache in a directory of the test's, and the warnings so far.
func fresh(t *testing.T, limit int64) (*Cache, *[]string) {
	t.Helper()
	var warnings []string
	c := New(Options{Dir: t.TempDir(), Limit: limit, Warn: func(err error) { warnings = append(warnings, err.Error()) }})
	return c, &warnings
}

// parts are those of the i-th object of a test.
func parts(i int) Parts {
	return Parts{{"text", fmt.Sprintf("func @f%d\n  return\n", i)}, {"build", "1"}, {"features", "+avx2"}}
}

// content is the i-th object: bytes that can be told from all others.
func content(i int) []byte {
	r := rand.New(rand.NewPCG(uint64(i), 7))
	b := make([]byte, 0, 1000+r.IntN(60_000))
	for len(b)+8 <= cap(b) {
		b = binary.LittleEndian.AppendUint64(b, r.Uint64())
	}
	return b
}

// files returns the files of a cache.
func (c *Cache) files() (objects, writing []file, err error) {
	root, err := c.open()
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	return files(root)
}

func TestPutAndGet(t *testing.T) {
	c, warnings := fresh(t, 0)
	_, ok := c.Get(parts(1).Key())
	require.False(t, ok)
	c.Put(parts(1), "one", content(1))
	c.Put(parts(2), "two", nil)

	again := New(Options{Dir: filepath.Dir(c.Dir())})
	got, ok := again.Get(parts(1).Key())
	require.True(t, ok)
	require.Equal(t, content(1), got)
	got, ok = again.Get(parts(2).Key())
	require.True(t, ok)
	require.Empty(t, got)
	_, ok = again.Get(parts(3).Key())
	require.False(t, ok)
	require.Empty(t, *warnings)

	info, err := os.Stat(c.Dir())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm(), "what is found there is run")
}

// Where one part of a key ends and the next begins is part of the key.
func TestKeys(t *testing.T) {
	seen := map[Key]Parts{}
	for _, p := range []Parts{
		{}, {{"a", "b"}}, {{"ab", ""}}, {{"", "ab"}}, {{"a", ""}, {"b", ""}}, {{"a", "b"}, {"", ""}},
		{{"a", "b"}, {"c", "d"}}, {{"c", "d"}, {"a", "b"}}, {{"a", "bc"}, {"", "d"}},
	} {
		require.NotContains(t, seen, p.Key(), "%v", p)
		seen[p.Key()] = p
		k, ok := parseKey(p.Key().String())
		require.True(t, ok)
		require.Equal(t, p.Key(), k)
	}
	for _, s := range []string{"", "abc", strings.Repeat("g", 64), strings.Repeat("A", 64), strings.Repeat("0", 65)} {
		_, ok := parseKey(s)
		require.False(t, ok, s)
	}
}

// A damaged file counts as missing, is removed, and can be written again.
func TestDamaged(t *testing.T) {
	object := content(1)
	damage := map[string]func([]byte) []byte{
		"empty":              func([]byte) []byte { return nil },
		"cut off":            func(f []byte) []byte { return f[:len(f)-1] },
		"cut off in header":  func(f []byte) []byte { return f[:20] },
		"longer":             func(f []byte) []byte { return append(f, 0) },
		"one bit of object":  func(f []byte) []byte { f[len(f)-1] ^= 1; return f },
		"one bit of key":     func(f []byte) []byte { f[45] ^= 1; return f },
		"one bit of lengths": func(f []byte) []byte { f[headerSize-1] ^= 1; return f },
		"one bit of text":    func(f []byte) []byte { f[headerSize+3] ^= 1; return f },
		"another version":    func(f []byte) []byte { f[6]++; return f },
		"foreign":            func([]byte) []byte { return []byte("\x7fELF, a file of somebody's") },
		"zeros":              func(f []byte) []byte { return make([]byte, len(f)) },
		"of another key": func([]byte) []byte {
			f, err := encode(parts(2), "", time.Now(), object)
			require.NoError(t, err)
			return f
		},
	}
	for name, change := range damage {
		t.Run(name, func(t *testing.T) {
			c, warnings := fresh(t, 0)
			c.Put(parts(1), "", object)
			path := filepath.Join(c.Dir(), parts(1).Key().String())
			file, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, change(bytes.Clone(file)), 0o600))
			_, ok := c.Get(parts(1).Key())
			require.False(t, ok)
			require.NoFileExists(t, path)
			c.Put(parts(1), "", object)
			got, ok := c.Get(parts(1).Key())
			require.True(t, ok)
			require.Equal(t, object, got)
			require.Empty(t, *warnings)
		})
	}
}

// A file whose size is not what it says, such as one of terabytes without
// contents, is not read into memory; the object is kept anew.
func TestHugeFile(t *testing.T) {
	c, warnings := fresh(t, 0)
	good, err := encode(parts(1), "", time.Now(), content(1))
	require.NoError(t, err)
	path := filepath.Join(c.Dir(), parts(1).Key().String())
	for name, head := range map[string][]byte{"empty": nil, "of an object": good, "of an object without end": append(bytes.Clone(good[:headerSize-1]), 0xff)} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.MkdirAll(c.Dir(), 0o700))
			require.NoError(t, os.WriteFile(path, head, 0o600))
			if err := os.Truncate(path, 1<<41); err != nil {
				t.Skipf("no file of such a size: %v", err)
			}
			_, ok := c.Get(parts(1).Key())
			require.False(t, ok)
			_, err := os.Stat(path)
			require.ErrorIs(t, err, os.ErrNotExist, "it is removed")
			c.Put(parts(1), "", content(1))
			object, ok := c.Get(parts(1).Key())
			require.True(t, ok)
			require.Equal(t, content(1), object)
			require.Empty(t, *warnings)
		})
	}
}

// What was used longest ago goes when there is too much.
func TestEviction(t *testing.T) {
	const limit = 400_000
	c, _ := fresh(t, limit)
	object := make([]byte, 30_000)
	for i := range 100 {
		c.Put(parts(i), "", object)
		// As if every Put were a minute after the one before.
		at := time.Now().Add(time.Duration(i-1000) * time.Minute)
		require.NoError(t, os.Chtimes(filepath.Join(c.Dir(), parts(i).Key().String()), at, at))
		if i >= 3 {
			_, ok := c.Get(parts(3).Key()) // 3 is used all the time
			require.True(t, ok, i)
		}
		objects, _, err := c.files()
		require.NoError(t, err)
		total := int64(0)
		for _, f := range objects {
			total += f.info.Size()
		}
		require.LessOrEqual(t, total, int64(limit))
	}
	var kept []int
	for i := range 100 {
		if _, ok := c.Get(parts(i).Key()); ok {
			kept = append(kept, i)
		}
	}
	require.Contains(t, []int{11, 12, 13}, len(kept), "between seven eighths of the limit and all of it")
	for i, n := range kept[1:] {
		require.Equal(t, 100-len(kept)+1+i, n, "those used last")
	}
	require.Equal(t, 3, kept[0])
	c.Put(parts(200), "", make([]byte, limit))
	_, ok := c.Get(parts(200).Key())
	require.False(t, ok, "larger than the limit")
	_, ok = c.Get(parts(99).Key())
	require.True(t, ok)
}

// On average a sixty-fourth of the limit is written between two looks at all
// files, whatever the size of objects.
func TestEvictionIsDueNowAndThen(t *testing.T) {
	c := &Cache{limit: 64 << 20}
	looks := 0
	for range 100_000 {
		if c.due(10 << 10) {
			looks++
		}
	}
	require.InDelta(t, 100_000*10<<10/(1<<20), looks, 200)
	require.True(t, c.due(1<<20))
	require.True(t, (&Cache{limit: 1}).due(1))
}

// A directory that cannot be used costs one warning; all else goes on.
func TestUnusableDirectory(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	open := filepath.Join(dir, "open")
	require.NoError(t, os.MkdirAll(filepath.Join(open, "objects"), 0o700))
	require.NoError(t, os.Chmod(filepath.Join(open, "objects"), 0o777))
	for name, test := range map[string]struct{ dir, want string }{
		"a file":                  {file, "compiled objects are not kept: lstat " + file},
		"a file above":            {filepath.Join(file, "below"), "compiled objects are not kept: stat " + file},
		"everybody's":             {open, "others may write there"},
		"a name that is too long": {filepath.Join(dir, strings.Repeat("x", 300)), "file name too long"},
	} {
		t.Run(name, func(t *testing.T) {
			var warnings []string
			c := New(Options{Dir: test.dir, Warn: func(err error) { warnings = append(warnings, err.Error()) }})
			for i := range 3 {
				c.Put(parts(i), "", content(i))
				_, ok := c.Get(parts(i).Key())
				require.False(t, ok)
			}
			require.Len(t, warnings, 1)
			require.Contains(t, warnings[0], "compiled objects are not kept: ")
		})
	}
}

func TestNone(t *testing.T) {
	t.Setenv("LTC_CACHE", "off")
	c := FromEnvironment(nil)
	require.Nil(t, c)
	c.Put(parts(1), "", nil)
	_, ok := c.Get(parts(1).Key())
	require.False(t, ok)
	entries, damaged, err := c.Verify()
	require.NoError(t, err)
	require.Empty(t, entries)
	require.Empty(t, damaged)
	n, _, err := c.Clear()
	require.NoError(t, err)
	require.Zero(t, n)
	require.Empty(t, c.Dir())
}

func TestFromEnvironment(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("LTC_CACHE", "on") // whatever the tests run with
	t.Setenv("LTC_CACHE_DIR", dir)
	t.Setenv("LTC_DISK_CACHE_BYTES", "3MiB")
	c := FromEnvironment(nil)
	require.Equal(t, filepath.Join(dir, "objects"), c.Dir())
	require.EqualValues(t, 3<<20, c.limit)

	t.Setenv("LTC_CACHE_DIR", "")
	t.Setenv("XDG_CACHE_HOME", dir)
	require.Equal(t, filepath.Join(dir, "ltc", "objects"), FromEnvironment(nil).Dir())

	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	var warning error
	c = FromEnvironment(func(err error) { warning = err })
	require.ErrorContains(t, warning, "compiled objects are not kept: ")
	c.Put(parts(1), "", nil)
	_, ok := c.Get(parts(1).Key())
	require.False(t, ok)
}

// Goroutines with caches of their own share a directory while much is evicted:
// what is found is right.
func TestShared(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			c := New(Options{Dir: dir, Limit: 500_000, Warn: func(err error) { t.Error(err) }})
			r := rand.New(rand.NewPCG(uint64(g), 1))
			for range 200 {
				i := r.IntN(30)
				if object, ok := c.Get(parts(i).Key()); !ok {
					c.Put(parts(i), "", content(i))
				} else if !bytes.Equal(object, content(i)) {
					t.Errorf("object %d is another", i)
				}
			}
		})
	}
	all.Wait()
	c := New(Options{Dir: dir})
	_, damaged, err := c.Verify()
	require.NoError(t, err)
	require.Empty(t, damaged)
}

func FuzzDecode(f *testing.F) {
	good, err := encode(parts(1), "label", time.Unix(0, 0), []byte("object"))
	require.NoError(f, err)
	f.Add(good)
	f.Add(good[:headerSize])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, file []byte) {
		text, object, err := decode(file, parts(1).Key())
		if err == nil && len(text)+len(object)+headerSize != len(file) {
			t.Fatal("lengths do not add up")
		}
		if _, err := decodeMeta(text); err == nil && errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	})
}
