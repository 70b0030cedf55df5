package reference

import (
	"context"
	"fmt"
	"sync"

	"ltc/mlir"
	"ltc/soa"
)

// prepareRunParallel runs the functions that the attribute programs lists, by
// replica and partition, as the processes of a grid, each on a goroutine of its
// own. Operands and results are those of the processes one after the other;
// the attribute infeed lists functions whose results the infeed ops get.
func prepareRunParallel(b *builder, o *site) error {
	r := &parallelRun{site: o}
	err := r.functions(b)
	if err != nil {
		return err
	}
	if list := o.op.Attrs.Get("infeed"); list != nil {
		if r.infeed, err = b.functions("infeed", list); err != nil {
			return err
		}
	}
	for i := range o.out {
		b.result(o, i)
	}
	if err := o.takes(r.programs); err != nil {
		return err
	}
	for _, c := range r.programs {
		if r.all += c.arenaAll; soa.Fits(r.all) != nil { // each fits an int many times over
			return fmt.Errorf("the memory of all processes: %w", soa.Fits(r.all))
		}
	}
	b.emitTry(r.run)
	return nil
}

// parallelRun runs programs at once, each as one process of a grid.
type parallelRun struct {
	*site
	replicas, partitions int
	programs             []*code // of all partitions of replica 0, then of replica 1, …
	infeed               []*code
	all                  int // bytes that all arenas take
}

// functions finds the programs.
func (r *parallelRun) functions(b *builder) error {
	rows, ok := r.op.Attrs.Get("programs").(mlir.ArrayAttr)
	if !ok || len(rows) == 0 {
		return fmt.Errorf("attribute programs: want a list of lists of functions")
	}
	r.replicas = len(rows)
	for i, row := range rows {
		codes, err := b.functions("programs", row)
		if err != nil {
			return err
		}
		if i > 0 && len(codes) != r.partitions || len(codes) == 0 {
			return fmt.Errorf("attribute programs: replica %d has %d partitions, replica 0 has %d", i, len(codes), r.partitions)
		}
		r.partitions = len(codes)
		r.programs = append(r.programs, codes...)
	}
	return nil
}

func (r *parallelRun) run(f *frame) error {
	of := f.ws.process().load
	if err := of.add(len(r.programs), r.all); err != nil {
		return err
	}
	defer of.add(-len(r.programs), -r.all)
	ctx, cancel := context.WithCancelCause(f.ws.ctx)
	defer cancel(nil)
	g := newGrid(r.replicas, r.partitions, of)
	g.cancel, g.infeed = cancel, r.infeed
	errs := make([]error, len(r.programs))
	var wait sync.WaitGroup
	in, out := r.in, r.res
	for id, c := range r.programs {
		p := &process{processGrid: g, replica: id / r.partitions, partition: id % r.partitions}
		ws := newWorkspace(c)
		ws.ctx, ws.done, ws.proc = ctx, ctx.Done(), p
		for i, s := range c.args {
			ws.frames[0].p[s] = f.p[in[i].slot]
		}
		for i, s := range c.results {
			ws.frames[0].p[s] = f.p[out[i]]
		}
		in, out = in[len(c.args):], out[len(c.results):]
		wait.Go(func() {
			errs[id] = ws.frames[0].exec(c.steps)
			p.end(errs[id])
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
func (b *builder) functions(attribute string, list mlir.Attribute) ([]*code, error) {
	names, ok := list.(mlir.ArrayAttr)
	if !ok {
		return nil, fmt.Errorf("attribute %s: want a list of functions, got %v", attribute, list)
	}
	var codes []*code
	for _, n := range names {
		name, ok := n.(mlir.SymbolAttr)
		if !ok {
			return nil, fmt.Errorf("attribute %s: want the symbol of a function, got %v", attribute, n)
		}
		c, err := b.function(string(name))
		if err != nil {
			return nil, err
		}
		if len(b.Lacking) > 0 {
			return nil, unsupportedCallee{}
		}
		codes = append(codes, c)
	}
	return codes, nil
}

// takes checks that the op's operands and results are those of the programs.
func (o *site) takes(programs []*code) error {
	in, out := o.in, o.out
	for _, c := range programs {
		n, m := len(c.args), len(c.results)
		if n > len(in) || m > len(out) {
			return fmt.Errorf("%d operands and %d results are fewer than the programs have", len(o.in), len(o.out))
		}
		for i, t := range c.types[:n] {
			if !t.equal(in[i].tensor) {
				return fmt.Errorf("argument %d of @%s is %v, the operand %v", i, c.name, t, in[i].tensor)
			}
		}
		for i, t := range c.types[n:] {
			if !t.equal(out[i]) {
				return fmt.Errorf("result %d of @%s is %v, that of the op %v", i, c.name, t, out[i])
			}
		}
		in, out = in[n:], out[m:]
	}
	if len(in) > 0 || len(out) > 0 {
		return fmt.Errorf("%d operands and %d results are more than the programs have", len(o.in), len(o.out))
	}
	return nil
}
