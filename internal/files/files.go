// Package files reads files of which nobody has said that they are files, nor
// how long: names from a command line. It writes files that others may be
// reading. Its central functions are [Read] and [Write].
//
// imports only the standard library.
package files

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Read opens what path names. A regular file, which tells its size, is read by
// the function; of all else, pipes and devices, up to most bytes are.
func Read(path string, most int64, regular func(f *os.File, size int64) ([]byte, error)) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return AtMost(path, f, most)
	}
	return regular(f, info.Size())
}

// AtMost reads all of r, which has no end that is known: more than so many bytes
// are an error, which gives it the name. What is read may lie in memory several
// times while it grows.
func AtMost(name string, r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("%s: more than %d bytes, which is the most that is read of what is no regular file: write it to one", name, most)
	}
	return data, err
}

// Write makes a regular file of what the function writes, or none: it has a name of
// its own until it is whole. Who reads or has mapped a file of the old name keeps
// what it had. What is there and no regular file, a pipe or a device, is written to.
func Write(path string, write func(io.Writer) error) (err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	name, flags, mode := fmt.Sprintf("%s.%08x.new", path, rand.Uint32()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, os.FileMode(0o666)
	info, err := os.Stat(path)
	there := err == nil && !info.Mode().IsRegular()
	if there {
		name, flags = path, os.O_WRONLY
	}
	f, err := os.OpenFile(name, flags, mode)
	if err != nil {
		return err
	}
	if !there {
		defer func() {
			if err != nil {
				os.Remove(name)
			}
		}()
	}
	w := bufio.NewWriterSize(f, 1<<20)
	if err = write(w); err == nil {
		err = w.Flush()
	}
	if info != nil && !there && err == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if !there && err == nil {
		err = f.Sync() // else the name may be there after a crash, and the content not
	}
	if err = cmp.Or(err, f.Close()); err != nil || there {
		return err
	}
	return os.Rename(name, path)
}
