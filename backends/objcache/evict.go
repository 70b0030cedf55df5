package objcache

import (
	"cmp"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// share is the part of the limit that is written, on average, between two looks
// at all files.
const share = 64

// abandonedAfter is how old a file that is being written may be: its process was
// killed.
const abandonedAfter = time.Hour

// due reports whether it is time to look at all files after n bytes have been
// written. Drawing lots bounds the sum over many short processes without a
// count that they would have to share.
func (c *Cache) due(n int64) bool {
	return n >= c.limit/share || rand.Int64N(c.limit/share) < n
}

// file is one file of a cache.
type file struct {
	key  Key
	path string
	info fs.FileInfo
}

// files returns the objects' files, and those that are being written.
func (c *Cache) files() (objects, writing []file, err error) {
	if c == nil || c.dir == "" {
		return nil, nil, nil
	}
	all, err := os.ReadDir(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	for _, e := range all {
		key, ok := parseKey(e.Name())
		if !ok && !strings.HasPrefix(e.Name(), prefix) {
			continue // not ours: it is left alone
		}
		info, err := e.Info()
		if err != nil {
			continue // gone meanwhile
		}
		f := file{key, filepath.Join(c.dir, e.Name()), info}
		if ok {
			objects = append(objects, f)
		} else {
			writing = append(writing, f)
		}
	}
	return objects, writing, nil
}

// evict removes what was used longest ago until files take seven eighths of the
// limit, if they take more than all of it, and what killed processes have left.
// When another process is at it, it does nothing.
func (c *Cache) evict() error {
	unlock, ok, err := lock(filepath.Join(c.dir, "lock"))
	if err != nil || !ok {
		return err
	}
	defer unlock()
	objects, writing, err := c.files()
	if err != nil {
		return err
	}
	for _, f := range writing {
		if time.Since(f.info.ModTime()) > abandonedAfter {
			os.Remove(f.path)
		}
	}
	total := int64(0)
	for _, f := range objects {
		total += f.info.Size()
	}
	if total <= c.limit {
		return nil
	}
	slices.SortFunc(objects, func(a, b file) int {
		return cmp.Or(a.info.ModTime().Compare(b.info.ModTime()), slices.Compare(a.key[:], b.key[:]))
	})
	for _, f := range objects {
		if total <= c.limit/8*7 {
			break
		}
		os.Remove(f.path)
		total -= f.info.Size()
	}
	return nil
}
