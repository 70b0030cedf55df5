package conformance

import (
	"fmt"
	"io"
	"os"

	"ltc/internal/files"
	"ltc/soa"
)

// mostPiped is how much is read of what does not tell its size beforehand: a
// device may have no end.
const mostPiped = 1 << 30

// ReadFile is os.ReadFile which refuses what cannot be held in memory.
func ReadFile(file string) ([]byte, error) {
	return files.Read(file, mostPiped, func(f *os.File, size int64) ([]byte, error) {
		if size > soa.Limit()/2 { // it is a string, too
			return nil, fmt.Errorf("%s: %w: a text of %s", file, soa.ErrMemory, soa.Size(size))
		}
		return io.ReadAll(f)
	})
}

// ReadPipe reads what does not tell its size beforehand; errors give it name.
func ReadPipe(name string, r io.Reader) ([]byte, error) { return files.AtMost(name, r, mostPiped) }
