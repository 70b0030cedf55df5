package conformance

import (
	"fmt"
	"io"
	"os"

	"ltc/soa"
)

// mostPiped is how much is read of what does not tell its size beforehand: a
// device may have no end.
const mostPiped = 1 << 30

// ReadFile is os.ReadFile which refuses what cannot be held in memory.
func ReadFile(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return ReadPipe(file, f)
	}
	if size := info.Size(); size > soa.Limit()/2 { // it is a string, too
		return nil, fmt.Errorf("%s: %w: a text of %s", file, soa.ErrMemory, soa.Size(size))
	}
	return os.ReadFile(file)
}

// ReadPipe reads what does not tell its size beforehand; errors give it name.
func ReadPipe(name string, r io.Reader) ([]byte, error) { return readAtMost(name, r, mostPiped) }

func readAtMost(name string, r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s: more than %s, which is the most that is read of what is no regular file: write it to one", name, soa.Size(most))
	}
	return data, err
}
