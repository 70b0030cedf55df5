package metrics

import (
	"fmt"
	"math"
	"strings"
)

// Kind says how the values of a quantity are written.
type Kind int

// The kinds of quantities.
const (
	Value Kind = iota // 12.00
	Time              // 01s401ms746.001us, of nanoseconds
	Bytes             // 1.55GB, of bytes
)

// Format writes a value of the kind.
func (k Kind) Format(v float64) string {
	switch k {
	case Time:
		return formatTime(v)
	case Bytes:
		return formatBytes(v)
	}
	return fmt.Sprintf("%.2f", v)
}

// formatTime writes nanoseconds as 01d02h03m04s005ms006.007us, beginning with
// the largest unit of which there is one.
func formatTime(ns float64) string {
	sign := ""
	if ns < 0 {
		sign, ns = "-", -ns
	}
	ns = math.Round(ns)
	units := [...]struct {
		ns     float64
		width  int
		suffix string
	}{{86400e9, 2, "d"}, {3600e9, 2, "h"}, {60e9, 2, "m"}, {1e9, 2, "s"}, {1e6, 3, "ms"}}
	var b strings.Builder
	b.WriteString(sign)
	for _, u := range units {
		if n := math.Floor(ns / u.ns); n > 0 || b.Len() > len(sign) {
			fmt.Fprintf(&b, "%0*.0f%s", u.width, n, u.suffix)
			ns -= n * u.ns
		}
	}
	fmt.Fprintf(&b, "%07.3fus", ns/1e3)
	return b.String()
}

// formatBytes writes bytes with the largest unit, of 1024 of the one before, of
// which there is one.
func formatBytes(n float64) string {
	units := [...]string{"B", "KB", "MB", "GB", "TB", "PB"}
	i := 0
	for math.Abs(n) >= 1024 && i < len(units)-1 {
		n /= 1024
		i++
	}
	return fmt.Sprintf("%.2f%s", n, units[i])
}
