package env

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size says in words what [CheckBytes] allows.
const Size = "a number, with `B`, `KiB`, `MiB`, `GiB` or `TiB` after it if need be"

// CheckCount allows numbers from 0 on.
func CheckCount(s string) error {
	if n, err := strconv.Atoi(s); err != nil || n < 0 {
		return fmt.Errorf("%q is no number of 0 or more", s)
	}
	return nil
}

// CheckPositive allows numbers above 0.
func CheckPositive(s string) error {
	if n, err := strconv.Atoi(s); err != nil || n < 1 {
		return fmt.Errorf("%q is no number above 0", s)
	}
	return nil
}

// CheckBytes allows what [ParseBytes] reads.
func CheckBytes(s string) error {
	_, err := ParseBytes(s)
	return err
}

// ParseBytes reads a size as GOMEMLIMIT has it: 1000, 512MiB, 2GiB.
func ParseBytes(s string) (int64, error) {
	number, shift := strings.TrimSuffix(s, "B"), 0
	for i, unit := range []string{"Ki", "Mi", "Gi", "Ti"} {
		if rest, ok := strings.CutSuffix(s, unit+"B"); ok {
			number, shift = rest, 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q is no size in bytes", s)
	}
	return n << shift, nil
}
