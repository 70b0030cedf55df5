// Package chip is a backend outside the library's module. It registers as
// mychip and has the evaluator run the text it is given.
package chip

import (
	"context"
	"fmt"
	"strings"

	"ltc/backends"
	_ "ltc/backends/reference/eval"
)

func init() { backends.Register("mychip", open) }

// Compiled counts the programs compiled.
var Compiled int

type chip struct {
	backends.NotImplemented // keeps compiling as the interface grows
	eval                    backends.Backend
}

func open(string) (backends.Backend, error) {
	eval, err := backends.Open("eval")
	if err != nil {
		return nil, err
	}
	return &chip{eval: eval}, nil
}

func (c *chip) Name() string { return "mychip" }

func (c *chip) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	if !strings.Contains(m.Text(), "func.func") {
		return nil, fmt.Errorf("mychip: no function in %q", m.Text())
	}
	Compiled++
	return c.eval.Compile(ctx, m, o)
}
