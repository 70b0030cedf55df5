package backends

import (
	"context"
	"log/slog"
)

type loggerKey struct{}

// WithLogger returns a context with the logger of the options, for code that a compile calls
// without the options, such as a compiler of kernels.
func WithLogger(ctx context.Context, o *Options) context.Context {
	if o.Logger == nil {
		return ctx
	}
	return context.WithValue(ctx, loggerKey{}, o.Logger)
}

// LoggerOf returns the logger that [WithLogger] has put into a context; nil if the context has
// no logger.
func LoggerOf(ctx context.Context) *slog.Logger {
	l, _ := ctx.Value(loggerKey{}).(*slog.Logger)
	return l
}
