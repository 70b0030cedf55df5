package objcache

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ltc/internal/env"
)

// Options say where a cache is and how large it may become.
type Options struct {
	// Dir is a directory of which the cache uses one below it. It is made when
	// something is to be kept. Empty: ltc in the user's directory for caches.
	Dir string
	// Limit is the most bytes that files take; 0: 1 GiB. Files that processes
	// write at the same time, and a sixty-fourth of it, may come on top.
	Limit int64
	// Warn is called at most once, with why objects are not kept or not looked
	// for. Nil: it is logged.
	Warn func(error)
}

// standardLimit is the limit of a cache whose options say none.
const standardLimit = 1 << 30

// Cache is a directory of compiled objects. Its methods may be called from any
// goroutine.
type Cache struct {
	dir    string
	limit  int64
	warn   func(error)
	once   sync.Once
	closed atomic.Bool // nothing is written any more
}

// FromEnvironment returns the cache that the environment variables LTC_CACHE,
// LTC_CACHE_DIR and LTC_DISK_CACHE_BYTES ask for; nil for none.
func FromEnvironment(warn func(error)) *Cache {
	if env.Cache.Value() == "off" {
		return nil
	}
	return New(Options{Dir: env.CacheDir.Value(), Limit: env.CacheLimit.Bytes(standardLimit), Warn: warn})
}

// New returns the cache of a directory. It looks at nothing yet.
func New(o Options) *Cache {
	c := &Cache{limit: o.Limit, warn: o.Warn}
	if c.limit == 0 {
		c.limit = standardLimit
	}
	if c.warn == nil {
		c.warn = func(err error) { slog.Warn("ltc: " + err.Error()) }
	}
	if o.Dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			c.closed.Store(true)
			c.complain(fmt.Errorf("%w: name a directory in LTC_CACHE_DIR", err))
			return c
		}
		o.Dir = filepath.Join(user, "ltc")
	}
	c.dir = filepath.Join(o.Dir, "objects")
	return c
}

// Dir returns the directory that files are in; empty if there is none.
func (c *Cache) Dir() string {
	if c == nil {
		return ""
	}
	return c.dir
}

// complain warns of err, once for each cache.
func (c *Cache) complain(err error) {
	c.once.Do(func() { c.warn(fmt.Errorf("compiled objects are not kept: %w", err)) })
}

// touchAfter is how old the time of a file's last use may be before it is
// brought up to date: reading costs one system call more then.
const touchAfter = 10 * time.Minute

// Get returns the object of a key, in memory of the caller's.
func (c *Cache) Get(key Key) ([]byte, bool) {
	if c == nil || c.dir == "" {
		return nil, false
	}
	root, err := c.open()
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			c.complain(err)
		}
		return nil, false
	}
	defer root.Close()
	name := key.String()
	file, info, err := read(root, name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			c.complain(err)
		}
		return nil, false
	}
	_, object, err := decode(file, key)
	if err != nil {
		remove(root, name, info)
		return nil, false
	}
	if now := time.Now(); now.Sub(info.ModTime()) > touchAfter {
		_ = root.Chtimes(name, now, now) // it may be read-only
	}
	return object, true
}

// open opens the directory. What is found there is run: it is an error unless it is
// this user's and nobody else may write there, as it is when it is open.
func (c *Cache) open() (*os.Root, error) {
	before, err := os.Lstat(c.dir)
	if err != nil {
		return nil, err
	}
	if !before.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", c.dir)
	}
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err == nil && !os.SameFile(before, info) {
		err = fmt.Errorf("%s is being replaced", c.dir)
	}
	if err == nil {
		err = trusted(info)
		if err != nil {
			err = fmt.Errorf("%s: %w", c.dir, err)
		}
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// mostFile is the size of the largest file that is written or read.
const mostFile = 256 << 20

// read returns the content of a file of this user's, to which nobody else may write,
// and what it was when it was opened. Of one whose size is not what it says itself, or
// more than files have, it returns the beginning. Links are not followed.
func read(root *os.Root, name string) ([]byte, fs.FileInfo, error) {
	before, err := root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !before.Mode().IsRegular() { // opening a pipe waits for a writer
		return nil, nil, fmt.Errorf("%s is not a regular file", filepath.Join(root.Name(), name))
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is not a regular file", f.Name())
	}
	if err := trusted(info); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	head := make([]byte, headerSize)
	if n, err := f.ReadAt(head, 0); n < len(head) || says(head) != info.Size() || info.Size() > mostFile {
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
		return head[:n], info, nil
	}
	file := make([]byte, info.Size())
	n, _ := f.ReadAt(file, 0) // fewer where it was cut off meanwhile
	return file[:n], info, nil
}

// remove removes a file if it is still the one that info is of: another process
// may have put a good one in its place.
func remove(root *os.Root, name string, info fs.FileInfo) {
	if now, err := root.Lstat(name); err == nil && os.SameFile(now, info) {
		_ = root.Remove(name)
	}
}

// Put keeps an object for those who ask for the key of parts. The label says to
// people what it is. When it cannot be kept, it is not: nothing is written any
// more after that.
func (c *Cache) Put(parts Parts, label string, object []byte) {
	if c == nil || c.closed.Load() {
		return
	}
	if err := c.put(parts, label, object); err != nil {
		c.closed.Store(true)
		c.complain(err)
	}
}

// prefix starts the names of files that are being written; a decimal number ends them.
const prefix = "tmp-"

// temporary reports whether a file's name is that of one that is being written.
func temporary(name string) bool {
	number, ok := strings.CutPrefix(name, prefix)
	_, err := strconv.ParseUint(number, 10, 64)
	return ok && err == nil
}

func (c *Cache) put(parts Parts, label string, object []byte) error {
	file, err := encode(parts, label, time.Now(), object)
	if err != nil {
		return err
	}
	if int64(len(file)) > min(c.limit, mostFile) {
		return nil
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	root, err := c.open()
	if err != nil {
		return err
	}
	defer root.Close()
	name := prefix + strconv.FormatUint(rand.Uint64(), 10)
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(file)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = root.Rename(name, parts.Key().String())
	}
	if err != nil {
		_ = root.Remove(name)
		return err
	}
	if c.due(int64(len(file))) {
		return c.evict(root)
	}
	return nil
}
