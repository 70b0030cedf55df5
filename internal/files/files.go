// Package files reads files of which nobody has said that they are files, nor
// how long: names from a command line. It writes files that others may be
// reading. Its central functions are [Read] and [Write].
//
// The package imports only ltc/internal/diag and the standard library.
package files

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ltc/internal/diag"
)

// Read opens what path names. A regular file, which tells its size, is read by
// the first function; all else, pipes and devices that may have no end, by the
// second.
func Read(path string, regular func(f *os.File, size int64) ([]byte, error), endless func(r io.Reader) ([]byte, error)) ([]byte, error) {
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
		return endless(f)
	}
	return regular(f, info.Size())
}

// MostPiped is how many bytes are read of what is no regular file, where its
// format does not say at the start how long it is.
const MostPiped = 1 << 30

// AtMost reads all of r, which has no end that is known: more than so many bytes
// are an error, which gives it the name. What is read may lie in memory several
// times while it grows.
func AtMost(name string, r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(Bounded(r, most))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// Bounded returns a reader of r that ends with an error where r has more than so
// many bytes.
func Bounded(r io.Reader, most int64) io.Reader { return &bounded{r, most, most} }

type bounded struct {
	r          io.Reader
	left, most int64
}

// Read implements io.Reader. One byte more is read, to see that there is none.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return n - 1, fmt.Errorf("more than %s, which is the most that is read of what is no regular file: write it to one", diag.Count(b.most, "byte"))
	}
	return n, err
}

// Text returns a reader of r, a text, that ends with an error where r has a byte
// of 0: devices and files of other formats are found out by their first bytes.
func Text(r io.Reader) io.Reader { return &text{r: r} }

type text struct {
	r    io.Reader
	read int64
}

// Read implements io.Reader.
func (t *text) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if i := bytes.IndexByte(p[:n], 0); i >= 0 {
		return i, fmt.Errorf("byte %d is 0: it is no text, or none in UTF-8", t.read+int64(i))
	}
	t.read += int64(n)
	return n, err
}

// ReadDeclared reads the rest of a file that begins with head, which declares size bytes
// for the whole. Memory is taken as bytes arrive, at most twice size: a header alone takes
// none. One byte more is an error.
func ReadDeclared(name string, head []byte, r io.Reader, size int) ([]byte, error) {
	const first = 1 << 20
	data := append(make([]byte, 0, max(min(size, first), len(head))), head...)
	for len(data) < size {
		if len(data) == cap(data) {
			data = append(make([]byte, 0, min(size, 2*cap(data))), data...)
		}
		n, err := io.ReadFull(r, data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil, fmt.Errorf("%s: truncated: it has %s, and %d by its header", name, diag.Count(len(data), "byte"), size)
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	more := len(data) - size
	if more == 0 {
		var err error
		if more, err = io.ReadFull(r, make([]byte, 1)); err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if more > 0 {
		return nil, fmt.Errorf("%s: more than the %s that its header says: the header does not describe all of it", name, diag.Count(size, "byte"))
	}
	return data, nil
}

// Write makes a regular file of what the function writes, or none: it has a temporary name
// until it is whole. A later Write to path removes temporary files that killed processes
// left there over an hour ago. Readers and mappings of the old file keep its content. A
// pipe or a device at path is written to.
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
		removeAbandoned(path)
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
	if err = os.Rename(name, path); err == nil {
		syncFolder(filepath.Dir(path))
	}
	return err
}

// syncFolder has a new name in a folder survive a crash of the machine, where the system can do
// so. The file is whole without it, under its new name or the old one.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		f.Sync()
		f.Close()
	}
}

// abandonedAfter is the age of temporary files of killed processes: a file that is being
// written is younger.
const abandonedAfter = time.Hour

// removeAbandoned removes what killed processes have left of writing path.
func removeAbandoned(path string) {
	dir, base := filepath.Split(path)
	entries, _ := os.ReadDir(cmp.Or(dir, "."))
	for _, e := range entries {
		middle, ok := strings.CutPrefix(e.Name(), base+".")
		middle, ok2 := strings.CutSuffix(middle, ".new")
		if _, err := strconv.ParseUint(middle, 16, 32); !ok || !ok2 || err != nil || len(middle) != 8 || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > abandonedAfter {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
