package stablehlo

import (
	"context"

	"ltc/mlir"
)

// Parse is [mlir.Parse] of a text with ops of StableHLO. That package knows these ops in
// every program that imports this one; who parses by this function has imported it.
func Parse(file, text string) (*mlir.Module, error) { return mlir.Parse(file, text) }

// ParseContext is [Parse] that ends when ctx is done, with an error that wraps its
// cause.
func ParseContext(ctx context.Context, file, text string) (*mlir.Module, error) {
	return mlir.ParseContext(ctx, file, text)
}
