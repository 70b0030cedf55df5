package conformance

import (
	"fmt"
	"io"
	"os"

	"ltc/internal/diag"
	"ltc/internal/files"
	"ltc/soa"
)

// ReadFile is os.ReadFile which refuses what cannot be held in memory.
func ReadFile(file string) ([]byte, error) {
	return files.Read(file, func(f *os.File, size int64) ([]byte, error) {
		if size > soa.Limit()/2 { // it is a string, too
			return nil, fmt.Errorf("%s: %w: a text of %s", file, soa.ErrMemory, diag.Bytes(size))
		}
		return io.ReadAll(f)
	}, func(r io.Reader) ([]byte, error) { return ReadPipe(file, r) })
}

// ReadPipe reads a text that does not tell its size beforehand, of at most
// [files.MostPiped] bytes; errors give it name.
func ReadPipe(name string, r io.Reader) ([]byte, error) {
	return files.AtMost(name, files.Text(r), files.MostPiped)
}
