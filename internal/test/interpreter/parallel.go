package interpreter

import (
	"context"
	"fmt"
	"sync"

	"ltc/backends/reference/eval"
	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/soa"
)

// runParallel runs the functions that the attribute programs lists, by replica and
// partition, as the processes of a grid, each on a goroutine of its own. Operands and
// results are those of the processes one after the other; the attribute infeed lists
// functions whose results the infeed ops get.
func runParallel(s *site) (func(*run) error, error) {
	p := &parallelRun{site: s}
	if err := p.functions(); err != nil {
		return nil, err
	}
	if list := s.Op.Attrs.Get("infeed"); list != nil {
		var err error
		if p.infeed, err = functions(s, "infeed", list); err != nil {
			return nil, err
		}
	}
	if err := takes(s, p.programs); err != nil {
		return nil, err
	}
	for _, f := range p.programs {
		if p.all += f.Bytes(); soa.Fits(p.all) != nil { // each fits an int many times over
			return nil, fmt.Errorf("the memory of all processes: %w", soa.Fits(p.all))
		}
	}
	return p.run, nil
}

// parallelRun runs programs at once, each as one process of a grid.
type parallelRun struct {
	*site
	replicas, partitions int
	programs             []*eval.Function // of all partitions of replica 0, then of replica 1, …
	infeed               []*eval.Function
	all                  int // bytes that all of them take
}

// functions finds the programs.
func (p *parallelRun) functions() error {
	rows, ok := p.Op.Attrs.Get("programs").(mlir.ArrayAttr)
	if !ok || len(rows) == 0 {
		return fmt.Errorf("attribute programs: want a list of lists of functions")
	}
	p.replicas = len(rows)
	for i, row := range rows {
		list, err := functions(p.site, "programs", row)
		if err != nil {
			return err
		}
		if i > 0 && len(list) != p.partitions || len(list) == 0 {
			return fmt.Errorf("attribute programs: replica %d has %s, replica 0 has %d", i, diag.Count(len(list), "partition"), p.partitions)
		}
		p.partitions = len(list)
		p.programs = append(p.programs, list...)
	}
	return nil
}

func (p *parallelRun) run(r *run) error {
	of := processOf(r).load
	if err := of.add(len(p.programs), p.all); err != nil {
		return err
	}
	defer of.add(-len(p.programs), -p.all)
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	g := newGrid(p.replicas, p.partitions, of)
	g.cancel, g.infeed = cancel, p.infeed
	errs := make([]error, len(p.programs))
	var wait sync.WaitGroup
	in, out := 0, 0
	for id, f := range p.programs {
		var state any = &process{processGrid: g, replica: id / p.partitions, partition: id % p.partitions}
		var args, results [][]byte
		for range f.Args {
			args = append(args, r.In(in))
			in++
		}
		for range f.Results {
			results = append(results, r.Out(out))
			out++
		}
		wait.Go(func() {
			errs[id] = f.Call(ctx, &state, args, results)
			state.(*process).end(errs[id])
		})
	}
	wait.Wait()
	g.forget()
	for id, err := range errs {
		if err != nil {
			return fmt.Errorf("process %s: %w", g.name(id), err)
		}
	}
	return nil
}

// functions prepares the functions of a list of symbols.
func functions(s *site, attribute string, list mlir.Attribute) ([]*eval.Function, error) {
	names, ok := list.(mlir.ArrayAttr)
	if !ok {
		return nil, fmt.Errorf("attribute %s: want a list of functions, got %v", attribute, list)
	}
	var all []*eval.Function
	for _, n := range names {
		name, ok := n.(mlir.SymbolAttr)
		if !ok {
			return nil, fmt.Errorf("attribute %s: want the symbol of a function, got %v", attribute, n)
		}
		f, err := s.Function(string(name))
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// takes checks that the op's operands and results are those of the programs.
func takes(s *site, programs []*eval.Function) error {
	in, out := s.In, s.Out
	for _, f := range programs {
		n, m := len(f.Args), len(f.Results)
		if n > len(in) || m > len(out) {
			return fmt.Errorf("%s and %s, fewer than the programs have", diag.Count(len(s.In), "operand"), diag.Count(len(s.Out), "result"))
		}
		for i, t := range f.Args {
			if !t.Equal(in[i]) {
				return fmt.Errorf("argument %d of @%s is %v, the operand %v", i, f.Name(), t, in[i])
			}
		}
		for i, t := range f.Results {
			if !t.Equal(out[i]) {
				return fmt.Errorf("result %d of @%s is %v, that of the op %v", i, f.Name(), t, out[i])
			}
		}
		in, out = in[n:], out[m:]
	}
	if len(in) > 0 || len(out) > 0 {
		return fmt.Errorf("%s and %s, more than the programs have", diag.Count(len(s.In), "operand"), diag.Count(len(s.Out), "result"))
	}
	return nil
}
