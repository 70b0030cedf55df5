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
	replicas, ok := o.op.Attrs.Get("programs").(mlir.ArrayAttr)
	if !ok || len(replicas) == 0 {
		return fmt.Errorf("attribute programs: want a list of lists of functions")
	}
	var programs []*code
	partitions := 0
	for r, row := range replicas {
		codes, err := b.functions("programs", row)
		if err != nil {
			return err
		}
		if r > 0 && len(codes) != partitions || len(codes) == 0 {
			return fmt.Errorf("attribute programs: replica %d has %d partitions, replica 0 has %d", r, len(codes), partitions)
		}
		partitions = len(codes)
		programs = append(programs, codes...)
	}
	var infeed []*code
	if list := o.op.Attrs.Get("infeed"); list != nil {
		var err error
		if infeed, err = b.functions("infeed", list); err != nil {
			return err
		}
	}
	for i := range o.out {
		b.result(o, i)
	}
	if err := o.takes(programs); err != nil {
		return err
	}
	all := 0
	for _, c := range programs {
		if all += c.arenaAll; soa.Fits(all) != nil { // each fits an int many times over
			return fmt.Errorf("the memory of all processes: %w", soa.Fits(all))
		}
	}
	b.emitTry(func(f *frame) error {
		of := f.ws.process().load
		if err := of.add(len(programs), all); err != nil {
			return err
		}
		defer of.add(-len(programs), -all)
		ctx, cancel := context.WithCancelCause(f.ws.ctx)
		defer cancel(nil)
		g := newGrid(len(replicas), partitions, of)
		g.cancel, g.infeed = cancel, infeed
		errs := make([]error, len(programs))
		var wait sync.WaitGroup
		in, out := o.in, o.res
		for id, c := range programs {
			p := &process{processGrid: g, replica: id / partitions, partition: id % partitions}
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
	})
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
