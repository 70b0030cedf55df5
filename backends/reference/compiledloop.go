package reference

import (
	"context"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

// loop runs a while: what is carried lies in memory of its own, in turns in the
// one or the other of two places.
func (e *compiled) loop(ctx context.Context, l *launcher, s *compiledStep) error {
	loop := s.Loop
	n := len(loop.Init)
	var call backends.Call
	for _, a := range append(loop.Init[:n:n], loop.Captured...) {
		call.Args = append(call.Args, e.view(l, a.Value, a.Type))
	}
	places := [2][]soa.View{}
	for i, v := range loop.Outs {
		places[0] = append(places[0], e.view(l, v, loop.Init[i].Type))
		places[1] = append(places[1], soa.Make(loop.Init[i].Type))
	}
	carried := call.Args
	for turn := 0; ; turn = 1 - turn {
		more := backends.Call{Args: carried}
		if err := e.body(ctx, loop.Cond, &more, s); err != nil {
			return err
		}
		if !soa.Slice[bool](more.Results[0])[0] {
			break
		}
		call.Args, call.Results = carried, places[turn]
		if err := e.body(ctx, loop.Body, &call, s); err != nil {
			return err
		}
		carried = append(places[turn][:n:n], carried[n:]...)
	}
	for i := range n {
		if to := places[0][i]; carried[i].Base() != to.Base() {
			copyBytes(to.Base(), carried[i].Base(), to.Type.Bytes())
		}
	}
	return nil
}

// branch runs the region that an if or a case chooses.
func (e *compiled) branch(ctx context.Context, l *launcher, s *compiledStep) error {
	b := s.Branch
	var call backends.Call
	for _, a := range b.Captured {
		call.Args = append(call.Args, e.view(l, a.Value, a.Type))
	}
	for _, v := range b.Outs {
		call.Results = append(call.Results, e.view(l, v, e.program.Values[v].Type))
	}
	return e.body(ctx, b.Branches[chosen(e.view(l, b.Index.Value, b.Index.Type), len(b.Branches))], &call, s)
}

// chosen is the number of the region that an index stands for.
func chosen(index soa.View, n int) int {
	if index.Type.DType == types.Bool {
		if soa.Slice[bool](index)[0] {
			return 0
		}
		return 1
	}
	if i := int(soa.Slice[int32](index)[0]); i >= 0 && i < n {
		return i
	}
	return n - 1
}

// body runs a region. What fails is the op whose region it is.
func (e *compiled) body(ctx context.Context, x backends.Executable, c *backends.Call, s *compiledStep) error {
	if err := x.Execute(ctx, c); err != nil {
		return runFailure(ctx, s, err)
	}
	return nil
}
