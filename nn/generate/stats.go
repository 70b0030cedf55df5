package generate

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Stats has the figures of a [Generator] since [New].
type Stats struct {
	Tokens     int           // fed: those of prompts, and those of answers that others follow
	TokenTime  time.Duration // the median
	Compiles   int
	PeakMemory int64 // the largest resident memory of the process in bytes, with mapped files; 0 where the system is not Linux
}

// Stats returns the figures so far.
func (g *Generator) Stats() Stats {
	s := Stats{Tokens: len(g.spent), Compiles: len(g.Report().Compiles), PeakMemory: peakMemory()}
	if s.Tokens > 0 {
		s.TokenTime = slices.Sorted(slices.Values(g.spent))[s.Tokens/2]
	}
	return s
}

// PerSecond returns the number of tokens a second, by the median of their times.
func (s Stats) PerSecond() float64 {
	if s.TokenTime <= 0 {
		return 0
	}
	return 1 / s.TokenTime.Seconds()
}

// String returns the figures in a line.
func (s Stats) String() string {
	text := fmt.Sprintf("%.1f tokens a second, %d compiled", s.PerSecond(), s.Compiles)
	if s.PeakMemory > 0 {
		text += fmt.Sprintf(", peak memory %.0f MB", float64(s.PeakMemory)/1e6)
	}
	return text
}

// peakMemory returns the largest resident memory of the process so far in bytes; 0 if the system does not tell.
func peakMemory() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}
