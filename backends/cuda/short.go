package cuda

import (
	"errors"
	"fmt"
	"strings"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/internal/diag"
)

// largest is how many of its values a program names that finds no memory.
const largest = 10

// short adds to the error of memory that is not there which values the program has.
func (x *code) short(err error) error {
	if !errors.Is(err, driver.OutOfMemory) {
		return err
	}
	var b strings.Builder
	for _, v := range x.program.Largest(largest) {
		fmt.Fprintf(&b, "\n  %s: %v, %v", diag.Bytes(int64(v.Type.Bytes())), v.Type, v.Kind)
		if v.Op >= 0 {
			fmt.Fprintf(&b, " of op %d", v.Op)
		}
		if line := backends.LineOf(v.Loc); line != "" {
			fmt.Fprintf(&b, ", %s", line)
		}
	}
	return fmt.Errorf("execute: %w\nthe program takes %s of its own; its largest values are%s", err, diag.Bytes(int64(x.program.Arena)), b.String())
}
