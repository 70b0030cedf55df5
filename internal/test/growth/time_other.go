//go:build !linux

package growth

import "time"

var begin = time.Now()

// processorTime is the time, where that of a thread is not known.
func processorTime() time.Duration { return time.Since(begin) }
