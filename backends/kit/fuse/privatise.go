package fuse

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/dims"
)

// privatise keeps what later stages of a node read in a local of the kernel. It
// also goes to the memory that nodes share only where another node reads it.
//
// Guarantees that no kernel loads from what it stores to.
func privatise(g *Graph) {
	users := make([]*node, len(g.values)) // by root: the only node that uses it
	shared := make([]bool, len(g.values))
	for _, n := range g.nodes {
		for _, v := range slices.Concat(n.ins(), n.outs()) {
			if r := g.root(v); users[r] == nil {
				users[r] = n
			} else if users[r] != n {
				shared[r] = true
			}
		}
	}
	for _, v := range g.results {
		shared[g.root(v)] = true
	}
	for _, n := range g.nodes {
		if n.kernel == nil {
			continue
		}
		for p := 0; p < len(n.operands); p++ {
			g.Look()
			if n.kernel.Params[p].Out && privatiseOperand(n, p, shared[g.root(n.operands[p])]) {
				p = -1
			}
		}
	}
}

// stored is what a kernel does to an operand that it stores to.
type stored struct {
	store *kernel.Access // the only one, or the first of several to other places
	loads int
	local kernel.Local // what would hold it
	own   []bool       // by dimension: whether the local has it, too
	bytes int64
}

// storedOf returns how a kernel stores to operand p. ok is false unless the kernel
// stores each element plainly and once: by one store for all elements, or by one store
// for each element of a row.
func storedOf(k *kernel.Kernel, p int) (s stored, ok bool) {
	var others []*kernel.Access
	for _, in := range k.Accesses(p) {
		switch {
		case in.Mem.Guard, in.Mem.Combine != kernel.Invalid:
			return s, false
		case in.Op == kernel.Load:
			s.loads++
		case s.store != nil:
			others = append(others, in.Mem)
		default:
			s.store = in.Mem
		}
	}
	if s.store == nil {
		return s, false
	}
	s.own = make([]bool, len(s.store.Index))
	s.local = kernel.Local{DType: k.Params[p].DType}
	s.bytes = int64(s.local.DType.Size())
	for d, i := range s.store.Index {
		if len(i.Terms) == 1 && i.Terms[0].Axis < len(k.Axes) && i.IsAxis(i.Terms[0].Axis) {
			continue
		}
		if len(others) > 0 && (len(i.Terms) > 0 || i.Value != kernel.None) {
			return s, false
		}
		s.own[d] = true
		s.local.Dims = append(s.local.Dims, k.Params[p].Dims[d])
		s.bytes = dims.Mul(s.bytes, int64(k.Params[p].Dims[d]))
	}
	for i, m := range others {
		same := func(other *kernel.Access) bool { return other.SameElement(m) }
		if s.store.SameElement(m) || slices.ContainsFunc(others[:i], same) {
			return s, false
		}
		for d, i := range m.Index {
			if s.own[d] && (len(i.Terms) > 0 || i.Value != kernel.None) || !s.own[d] && !i.IsAxis(s.store.Index[d].Terms[0].Axis) {
				return s, false
			}
		}
	}
	return s, true
}

// rowsFit reports whether what stages hand on to later ones fits in locals of the
// given size in bytes.
func rowsFit(k *kernel.Kernel, most int) bool {
	for p := range k.Params {
		if !k.Params[p].Out {
			continue
		}
		if s, ok := storedOf(k, p); !ok && loadsFrom(k, p) || s.loads > 0 && dims.Typical(s.bytes) > int64(most) {
			return false
		}
	}
	return true
}

func loadsFrom(k *kernel.Kernel, p int) bool {
	return slices.ContainsFunc(k.Instrs, func(i kernel.Instr) bool {
		return i.Op == kernel.Load && !i.Mem.Local && i.Mem.Param == p
	})
}

// privatiseOperand moves what n loads from its operand p, and if no other node
// shares it what it stores, to a local. It reports whether something changed.
func privatiseOperand(n *node, p int, shared bool) bool {
	k := n.kernel
	s, ok := storedOf(k, p)
	if !ok || shared && s.loads == 0 {
		return false
	}
	b := withAxes(k.Name, k)
	b.Expect(k)
	c := newCopier(b, k)
	c.declare()
	local := -1
	if s.loads > 0 {
		s.local.Name = kernel.LocalName(len(k.Locals))
		local = b.Local(s.local)
	}
	for i := range k.Stages {
		st := &k.Stages[i]
		b.Stage(st.Axes...)
		c.identity(i)
		for id := st.Begin; id < st.End; id++ {
			in := &k.Instrs[id]
			if in.Mem == nil || in.Mem.Local || in.Mem.Param != p {
				c.instr(id)
				continue
			}
			if in.Op == kernel.Store && shared {
				c.instr(id)
			}
			if local < 0 {
				continue
			}
			var index []kernel.Index
			for d := range s.own {
				if s.own[d] {
					index = append(index, c.index(in.Mem.Index[d]))
				}
			}
			if in.Op == kernel.Load {
				c.ids[id] = b.LoadLocal(local, index...)
			} else {
				b.StoreLocal(local, c.ids[in.Args[0]], index...)
			}
		}
	}
	n.kernel = b.Kernel()
	cse(n)
	return true
}
