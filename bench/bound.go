package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ltc/backends"
	"ltc/mlir"
	"ltc/soa"
)

// bound measures calls of the program whose weights are bound, as a server has them: what
// the backend makes of them it makes once. It returns the seconds of a call; 0 if there is no
// NAME.weights, which has the first argument that is a weight and that behind the last.
func (c *firstRun) bound(e *env) (float64, error) {
	said, err := os.ReadFile(filepath.Join(c.dir, c.name+".weights"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	first, end := 0, 0
	if _, err := fmt.Sscan(string(said), &first, &end); err != nil {
		return 0, fmt.Errorf("%s.weights: %w", c.name, err)
	}
	text, err := withConstants(c.text, first, end)
	if err != nil {
		return 0, err
	}
	ctx := context.Background()
	exe, err := c.backend.Compile(ctx, backends.NewModule(text), backends.Options{Name: c.name, Threads: e.threads})
	if err != nil {
		return 0, err
	}
	args, err := c.values("", "in", len(c.call.Args)) // what was donated is written over
	if err != nil {
		return 0, err
	}
	weights := map[int]soa.View{}
	for i := first; i < end; i++ {
		weights[i] = args[i]
	}
	if exe, err = exe.Bind(ctx, weights); err != nil {
		return 0, err
	}
	call := backends.Call{Args: args}
	if err := exe.Execute(ctx, &call); err != nil {
		return 0, err
	}
	if x, ok := exe.(backends.Tiered); ok {
		if err := x.Finish(ctx); err != nil {
			return 0, err
		}
	}
	if err := c.check(call.Results); err != nil {
		return 0, fmt.Errorf("with weights bound: %w", err)
	}
	t, err := e.time(programRules, func() error { return exe.Execute(ctx, &call) })
	return t.Median, err
}

// withConstants marks arguments of main, from the first to before the end, as ltc.constant.
func withConstants(text string, first, end int) (string, error) {
	p, err := backends.Load(context.Background(), backends.NewModule(text), backends.Options{})
	if err != nil {
		return "", err
	}
	main := p.Module.Func("main")
	n := len(main.Body().Args)
	if first < 0 || first > end || end > n {
		return "", fmt.Errorf("weights from argument %d to before %d: main has %d", first, end, n)
	}
	old, _ := main.Attrs.Get("arg_attrs").(mlir.ArrayAttr)
	all := make(mlir.ArrayAttr, n)
	for i := range all {
		var attrs mlir.Dict
		if old != nil {
			d, _ := old[i].(mlir.DictAttr)
			attrs = append(attrs, d...)
		}
		if i >= first && i < end {
			attrs.Set("ltc.constant", mlir.UnitAttr{})
		}
		all[i] = mlir.DictAttr(attrs)
	}
	main.Attrs.Set("arg_attrs", all)
	return p.Module.String(), nil
}
