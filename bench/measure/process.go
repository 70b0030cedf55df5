package measure

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// Complaint is the error of a program that has ended with err: the last line of what
// it has said, if it has said something.
func Complaint(said string, err error) error {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return errors.New(last)
	}
	return err
}

// Objects reads what a program has printed as JSON, one object a line, up to a line
// that is none.
func Objects[T any](out []byte) (all []T, err error) {
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var x T
		if err := d.Decode(&x); err != nil {
			if err == io.EOF {
				err = nil
			}
			return all, err
		}
		all = append(all, x)
	}
}
