package mlir

import (
	"context"
	"fmt"
)

// ParseContext is [Parse] that ends when ctx is done, with an error that wraps
// its cause.
func ParseContext(ctx context.Context, file, text string) (*Module, error) {
	return Chunk{file, text, 0, 1}.parse(ctx)
}

// closed reports whether done is closed; false for nil.
func closed(done <-chan struct{}) bool {
	if done == nil {
		return false
	}
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// ended is the error of what a context ended, in the last line of errs.
func ended(ctx context.Context, file, what string, errs []*Error) error {
	line := 0
	for _, e := range errs {
		line = max(line, e.Pos.Line)
	}
	return fmt.Errorf("%s: %s ended on line %d: %w", file, what, line, context.Cause(ctx))
}

// Ended returns the error of work, named by what, that ctx ended at pos of m's text.
func (m *Module) Ended(ctx context.Context, what string, pos Pos) error {
	return ended(ctx, m.file, what, []*Error{{Pos: pos}})
}
