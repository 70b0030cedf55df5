package reference

import (
	"fmt"

	"ltc/mlir"
	"ltc/stablehlo"
)

// prepareSend leaves its operands for whoever receives from the channel. It
// does not wait.
func prepareSend(b *builder, o *site) error {
	channel, c, err := newChannel(o)
	if err != nil {
		return err
	}
	if len(o.in) == 0 || o.in[len(o.in)-1].dt != token || len(o.out) != 1 {
		return fmt.Errorf("want values and a token, and one result")
	}
	b.result(o, 0)
	in := o.in[:len(o.in)-1]
	b.emitTry(func(f *frame) error {
		p, to := f.ws.process(), -1
		address := channel
		if c != nil {
			if _, to, err = c.pairs(p); err != nil || to < 0 {
				return err
			}
			address = fmt.Sprintf("%s from %v to %s", channel, p, p.name(to))
		}
		return p.post(address, pack(f, in))
	})
	return nil
}

// prepareRecv waits for values on the channel.
func prepareRecv(b *builder, o *site) error {
	channel, c, err := newChannel(o)
	if err != nil {
		return err
	}
	n := len(o.out) - 1
	if len(o.in) != 1 || n < 0 || o.out[n].dt != token {
		return fmt.Errorf("want a token, and results with a token last")
	}
	for i := range o.out {
		b.result(o, i)
	}
	b.emitTry(func(f *frame) error {
		p := f.ws.process()
		address := channel
		if c != nil {
			from, _, err := c.pairs(p)
			if err != nil {
				return err
			}
			if from < 0 {
				return fmt.Errorf("no process sends to process %v", p)
			}
			address = fmt.Sprintf("%s from %s to %v", channel, p.name(from), p)
		}
		got, err := p.take(f.ws.ctx, o.op.Name(), address)
		if err != nil {
			return err
		}
		return unpack(f, got, o.out[:n], o.res[:n])
	})
	return nil
}

// newChannel returns the name of the op's channel, and the pairs of processes
// that it connects; nil if whoever sends first sends to whoever receives first,
// as it is with the host at one end.
func newChannel(o *site) (string, *collective, error) {
	c := &collective{how: crossPartition}
	handle, err := fields(o.op.Attrs, "channel_handle")
	if err != nil {
		return "", nil, err
	}
	if c.channel, err = intAttr(handle, "handle", 0); err != nil {
		return "", nil, err
	}
	name := fmt.Sprintf("channel %d", c.channel)
	pairs, _ := o.op.Attrs.Get("source_target_pairs").(*mlir.DenseAttr)
	if mlir.Flag(o.op.Attrs.Get("is_host_transfer")) || pairs == nil || pairs.Type.Elements() == 0 {
		return name, nil, nil
	}
	if c.channel <= 0 {
		c.how = crossReplica
	}
	c.groups, err = idLists(o.op.Attrs, "source_target_pairs")
	return name, c, err
}

// prepareInfeed takes the results of the next function of the infeed.
func prepareInfeed(b *builder, o *site) error {
	n := len(o.out) - 1
	if n < 0 || o.out[n].dt != token {
		return fmt.Errorf("want results with a token last")
	}
	for i := range o.out {
		b.result(o, i)
	}
	b.emitTry(func(f *frame) error {
		g := f.ws.process().processGrid
		g.mu.Lock()
		if len(g.infeed) == 0 {
			g.mu.Unlock()
			return fmt.Errorf("the infeed is empty")
		}
		next := g.infeed[0]
		g.infeed = g.infeed[1:]
		g.mu.Unlock()
		ws := newWorkspace(next)
		ws.ctx, ws.done, ws.proc = f.ws.ctx, f.ws.done, f.ws.proc
		if err := ws.frames[0].exec(next.steps); err != nil {
			return err
		}
		var slots []operand
		for i, s := range next.results {
			slots = append(slots, operand{next.types[len(next.args)+i], s})
		}
		return unpack(f, pack(&ws.frames[0], slots), o.out[:n], o.res[:n])
	})
	return nil
}

// prepareOutfeed drops its operands: nobody reads the outfeed.
func prepareOutfeed(b *builder, o *site) error { return prepareToken(b, o) }

// prepareProcessID is the process's place in the grid.
func prepareProcessID(b *builder, o *site) error {
	if err := o.arity(0, 1); err != nil {
		return err
	}
	if o.out[0].dt != u32 || !o.out[0].scalar() {
		return fmt.Errorf("the result is %v, want tensor<ui32>", o.out[0])
	}
	r, partition := b.result(o, 0), o.op.Code == stablehlo.PartitionID
	b.emit(func(f *frame) {
		p := f.ws.process()
		id := p.replica
		if partition {
			id = p.partition
		}
		*(*uint32)(f.p[r]) = uint32(id)
	})
	return nil
}
