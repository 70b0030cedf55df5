package backends

import (
	"context"
	"log/slog"
)

type loggerKey struct{}

// WithLogger returns a context by which what is asked for within a compile, such as a
// compiler of kernels, finds the logger of the options.
func WithLogger(ctx context.Context, o *Options) context.Context {
	if o.Logger == nil {
		return ctx
	}
	return context.WithValue(ctx, loggerKey{}, o.Logger)
}

// LoggerOf returns the logger of a context; nil if it has none.
func LoggerOf(ctx context.Context) *slog.Logger {
	l, _ := ctx.Value(loggerKey{}).(*slog.Logger)
	return l
}
