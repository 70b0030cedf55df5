package lazy

import (
	"context"

	"ltc/backends"
	"ltc/internal/border"
	"ltc/ir"
)

// compile has the backend compile the text of a graph.
func (d *Device) compile(ctx context.Context, g *ir.Graph, text string, o backends.Options) (*border.Executable, error) {
	return d.backend.Compile(ctx, backends.NewModule(text), o, signatureOf(g))
}

// whole is compile of a program, for a runner.
func (d *Device) whole(ctx context.Context, p *program, o backends.Options) (runner, error) {
	x, err := d.compile(ctx, p.graph, p.text, o)
	if err != nil {
		return nil, err
	}
	return x, nil
}
