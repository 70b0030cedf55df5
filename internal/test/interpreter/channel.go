package interpreter

import (
	"encoding/binary"
	"fmt"

	"ltc/mlir"
	"ltc/stablehlo"
)

// send leaves its operands for whoever receives from the channel. It does not wait.
func send(s *site) (func(*run) error, error) {
	channel, c, err := newChannel(s)
	if err != nil {
		return nil, err
	}
	n := len(s.In) - 1
	if n < 0 || !s.In[n].Token() || len(s.Out) != 1 {
		return nil, fmt.Errorf("want values and a token, and one result")
	}
	return func(r *run) error {
		p, to := processOf(r), -1
		address := channel
		if c != nil {
			var err error
			if _, to, err = c.pairs(p); err != nil || to < 0 {
				return err
			}
			address = fmt.Sprintf("%s from %v to %s", channel, p, p.name(to))
		}
		return p.post(address, pack(s, r, n))
	}, nil
}

// recv waits for values on the channel.
func recv(s *site) (func(*run) error, error) {
	channel, c, err := newChannel(s)
	if err != nil {
		return nil, err
	}
	n := len(s.Out) - 1
	if len(s.In) != 1 || n < 0 || !s.Out[n].Token() {
		return nil, fmt.Errorf("want a token, and results with a token last")
	}
	return func(r *run) error {
		p := processOf(r)
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
		got, err := p.take(r.Context(), s.Op.Name(), address)
		if err != nil {
			return err
		}
		return unpack(s, r, got, n)
	}, nil
}

// newChannel returns the name of the op's channel, and the pairs of processes
// that it connects; nil if whoever sends first sends to whoever receives first,
// as it is with the host at one end.
func newChannel(s *site) (string, *collective, error) {
	channel, err := handle(s.Op)
	if err != nil {
		return "", nil, err
	}
	c := &collective{channel: channel, how: crossPartition}
	name := fmt.Sprintf("channel %d", c.channel)
	pairs, _ := s.Op.Attrs.Get("source_target_pairs").(*mlir.DenseAttr)
	if mlir.Flag(s.Op.Attrs.Get("is_host_transfer")) || pairs == nil || pairs.Type.Elements() == 0 {
		return name, nil, nil
	}
	if c.channel <= 0 {
		c.how = crossReplica
	}
	c.groups, err = matrix(s.Op.Attrs, "source_target_pairs")
	return name, c, err
}

// infeed takes the results of the next function of the infeed.
func infeed(s *site) (func(*run) error, error) {
	n := len(s.Out) - 1
	if n < 0 || !s.Out[n].Token() {
		return nil, fmt.Errorf("want results with a token last")
	}
	return func(r *run) error {
		g := processOf(r).processGrid
		g.mu.Lock()
		if len(g.infeed) == 0 {
			g.mu.Unlock()
			return fmt.Errorf("the infeed is empty")
		}
		next := g.infeed[0]
		g.infeed = g.infeed[1:]
		g.mu.Unlock()
		got := parcel{types: next.Results, bytes: make([][]byte, len(next.Results))}
		for i, t := range next.Results {
			got.bytes[i] = make([]byte, t.Bytes())
		}
		args := make([][]byte, len(next.Args))
		for i, t := range next.Args {
			args[i] = make([]byte, t.Bytes())
		}
		if err := next.Call(r.Context(), r.State(), args, got.bytes); err != nil {
			return err
		}
		return unpack(s, r, got, n)
	}, nil
}

// outfeed drops its operands: nobody reads the outfeed.
func outfeed(s *site) (func(*run) error, error) {
	if len(s.Out) != 1 || !s.Out[0].Token() {
		return nil, fmt.Errorf("want one result, a token")
	}
	return func(*run) error { return nil }, nil
}

// processID is the process's place in the grid.
func processID(s *site) (func(*run) error, error) {
	if err := arity(s, 0, 1); err != nil {
		return nil, err
	}
	if s.Out[0].Element() != "ui32" || len(s.Out[0].Shape()) > 0 {
		return nil, fmt.Errorf("the result is %v, want tensor<ui32>", s.Out[0])
	}
	partition := s.Op.Code == stablehlo.PartitionID
	return func(r *run) error {
		p := processOf(r)
		id := p.replica
		if partition {
			id = p.partition
		}
		binary.NativeEndian.PutUint32(r.Out(0), uint32(id))
		return nil
	}, nil
}
