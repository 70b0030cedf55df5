package objcache

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Entry is one object of a cache.
type Entry struct {
	Key     Key
	Label   string
	Bytes   int64     // of the object
	File    int64     // bytes of its file
	Created time.Time // when it was compiled
	Used    time.Time // last, within some minutes
	Parts   []EntryPart
}

// EntryPart is one part of an entry's key.
type EntryPart struct {
	Name  string
	Bytes int    // of the value
	Hash  string // of the value, in hexadecimal
	Value string // if it is known
	Known bool   // long values are not kept
}

// Damaged is a file that is no object that can be used.
type Damaged struct {
	Path string
	Why  error
}

// List returns the entries, the one used last first. Damaged files are left out.
func (c *Cache) List() ([]Entry, error) {
	entries, _, err := c.scan(false)
	return entries, err
}

// Verify reads every file, removes those that are damaged, and what processes
// have left that were killed while they wrote, and returns the good and the
// damaged ones.
func (c *Cache) Verify() ([]Entry, []Damaged, error) { return c.scan(true) }

// scan reads all files.
func (c *Cache) scan(repair bool) ([]Entry, []Damaged, error) {
	root, err := c.opened()
	if root == nil {
		return nil, nil, err
	}
	defer root.Close()
	objects, writing, err := files(root)
	if err != nil {
		return nil, nil, err
	}
	var entries []Entry
	var damaged []Damaged
	for _, f := range objects {
		e, err := open(root, f)
		switch {
		case err == nil:
			entries = append(entries, e)
		case errors.Is(err, fs.ErrNotExist): // gone meanwhile
		case repair:
			damaged = append(damaged, Damaged{filepath.Join(c.dir, f.name), err})
			remove(root, f.name, f.info)
		}
	}
	for _, f := range writing {
		if repair && time.Since(f.info.ModTime()) > abandonedAfter {
			damaged = append(damaged, Damaged{filepath.Join(c.dir, f.name), errors.New("its process was killed while it wrote")})
			_ = root.Remove(f.name)
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(b.Used.Compare(a.Used), slices.Compare(a.Key[:], b.Key[:]))
	})
	return entries, damaged, nil
}

// opened is open, and nil without an error if there is no directory.
func (c *Cache) opened() (*os.Root, error) {
	if c == nil || c.dir == "" {
		return nil, nil
	}
	root, err := c.open()
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return root, err
}

// open reads the entry of a file.
func open(root *os.Root, f file) (Entry, error) {
	content, info, err := read(root, f.name)
	if err != nil {
		return Entry{}, err
	}
	text, object, err := decode(content, f.key)
	if err != nil {
		return Entry{}, err
	}
	m, err := decodeMeta(text)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Key: f.key, Label: m.Label, Bytes: int64(len(object)), File: info.Size(), Created: m.Created, Used: info.ModTime()}
	for _, p := range m.Parts {
		part := EntryPart{Name: p.Name, Bytes: p.Bytes, Hash: p.Hash}
		if p.Value != nil {
			part.Value, part.Known = *p.Value, true
		}
		e.Parts = append(e.Parts, part)
	}
	return e, nil
}

// Clear removes all objects, and what is being written. Files that are not of
// this package stay. It returns how many objects there were, and their bytes.
func (c *Cache) Clear() (int, int64, error) {
	root, err := c.opened()
	if root == nil {
		return 0, 0, err
	}
	defer root.Close()
	objects, writing, err := files(root)
	if err != nil {
		return 0, 0, err
	}
	n, bytes := 0, int64(0)
	var failed error
	for _, f := range objects {
		if err := root.Remove(f.name); err != nil {
			failed = cmp.Or(failed, err)
			continue
		}
		n, bytes = n+1, bytes+f.info.Size()
	}
	for _, f := range writing {
		_ = root.Remove(f.name)
	}
	return n, bytes, failed
}
