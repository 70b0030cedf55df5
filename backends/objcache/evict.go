package objcache

import (
	"cmp"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
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
	name string
	info fs.FileInfo
}

// files returns the objects' files, and those that are being written. Whatever has
// other names, or is no regular file, is not the cache's.
func files(root *os.Root) (objects, writing []file, err error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, nil, err
	}
	slices.Sort(names)
	for _, name := range names {
		key, ok := parseKey(name)
		if !ok && !temporary(name) {
			continue
		}
		info, err := root.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		f := file{key, name, info}
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
func (c *Cache) evict(root *os.Root) error {
	unlock, ok, err := lock(root, "lock")
	if err != nil || !ok {
		return err
	}
	defer unlock()
	objects, writing, err := files(root)
	if err != nil {
		return err
	}
	for _, f := range writing {
		if time.Since(f.info.ModTime()) > abandonedAfter {
			_ = root.Remove(f.name)
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
		_ = root.Remove(f.name)
		total -= f.info.Size()
	}
	return nil
}
