package train

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Bar is a progress bar in the last line of a terminal.
type Bar struct {
	w     io.Writer // nil: draws nothing
	label string
	total int
	done  int

	first        int // done at the beginning
	begun, drawn time.Time
}

// NewBar returns a bar of total steps, some of which are done. It draws nothing if w is nil or is no terminal.
func NewBar(w io.Writer, label string, total, done int) *Bar {
	b := &Bar{label: label, total: total, done: done, first: done, begun: time.Now()}
	if Terminal(w) {
		b.w = w
	}
	return b
}

// Add draws that n more steps are done, and their values; at most some fifteen times a second.
func (b *Bar) Add(n int, values Means) {
	b.done += n
	if b.w == nil {
		return
	}
	now := time.Now()
	if now.Sub(b.drawn) < 65*time.Millisecond && b.done < b.total {
		return
	}
	b.drawn = now
	const width = 30
	full := min(width*b.done/max(b.total, 1), width)
	left := time.Duration(float64(now.Sub(b.begun)) / float64(max(b.done-b.first, 1)) * float64(b.total-b.done))
	fmt.Fprintf(b.w, "\r%s [%s%s] %d/%d  %v  %v left\x1b[K", b.label, strings.Repeat("=", full), strings.Repeat(" ", width-full), b.done, b.total, values, left.Round(time.Second))
}

// Close removes the bar.
func (b *Bar) Close() {
	if b.w != nil {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}

// Terminal reports whether w is a terminal, as far as the standard library can tell: a character device other than
// [os.DevNull].
func Terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
