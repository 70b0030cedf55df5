// Package files reads files of which nobody has said that they are files, nor
// how long: names from a command line. Its central function is [Read].
//
// imports only the standard library.
package files

import (
	"fmt"
	"io"
	"os"
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
