package fuse

import (
	"encoding/binary"

	"ltc/backends/kit/kernel"
)

// cse makes each value of a stage once and drops those that nothing uses. What
// it knows of memory is that nobody changes an operand that the kernel does not
// store to. Operands that are left without a use go, too.
func cse(n *node) {
	k := n.kernel
	live := liveInstrs(k)
	b := withAxes(k.Name, k)
	b.Expect(k)
	c := newCopier(b, k)
	c.locals = make([]int, len(k.Locals))
	next := 0
	for l := range k.Locals {
		if c.locals[l] = -1; loadsLocal(k, l, live) {
			local := k.Locals[l]
			local.Name = kernel.LocalName(next)
			c.locals[l] = b.Local(local)
			next++
		}
	}
	ops := &operandList{b: b}
	used := make([]bool, len(k.Params))
	for id := range k.Instrs {
		if m := k.Instrs[id].Mem; m != nil && !m.Local && live[id] {
			used[m.Param] = true
		}
	}
	c.params = ops.add(n, func(i int) bool { return used[i] })
	var key []byte
	for s := range k.Stages {
		st := &k.Stages[s]
		b.Stage(st.Axes...)
		c.straight(s)
		seen := make(map[string]kernel.ID, st.End-st.Begin)
		for id := st.Begin; id < st.End; id++ {
			if !live[id] {
				continue
			}
			in := &k.Instrs[id]
			pure := in.Op != kernel.Store && in.Op != kernel.Reduce &&
				(in.Op != kernel.Load || !in.Mem.Local && !k.Params[in.Mem.Param].Out)
			if pure {
				key = c.key(key[:0], in)
				if same, ok := seen[string(key)]; ok {
					c.ids[id] = same
					continue
				}
			}
			if c.instr(id); pure {
				seen[string(key)] = c.ids[id]
			}
		}
	}
	n.kernel, n.operands = b.Kernel(), ops.values
	dropEmpty(n.kernel)
}

// liveInstrs says which instructions something that is stored depends on.
func liveInstrs(k *kernel.Kernel) []bool {
	live := make([]bool, len(k.Instrs))
	loaded := k.Carried() // locals, by what comes later, or at the next point
	if loaded == nil {
		loaded = make([]bool, len(k.Locals))
	}
	for id := len(k.Instrs) - 1; id >= 0; id-- {
		in := &k.Instrs[id]
		if live[id] = live[id] || in.Op == kernel.Store && (!in.Mem.Local || loaded[in.Mem.Param]); !live[id] {
			continue
		}
		for _, a := range in.Args {
			live[a] = true
		}
		if in.Mem != nil {
			if in.Op == kernel.Load && in.Mem.Local {
				loaded[in.Mem.Param] = true
			}
			for _, i := range in.Mem.Index {
				if i.Value != kernel.None {
					live[i.Value] = true
				}
			}
		}
	}
	return live
}

// loadsLocal reports whether an instruction that is live loads from a local.
func loadsLocal(k *kernel.Kernel, local int, live []bool) bool {
	for id := range k.Instrs {
		if m := k.Instrs[id].Mem; live[id] && m != nil && m.Local && m.Param == local && k.Instrs[id].Op == kernel.Load {
			return true
		}
	}
	return false
}

// key appends what makes an instruction the same as another.
func (c *copier) key(to []byte, in *kernel.Instr) []byte {
	to = append(to, byte(in.Op), byte(in.Type))
	to = binary.AppendVarint(to, in.Aux)
	for _, a := range in.Args {
		to = binary.AppendVarint(to, int64(c.ids[a]))
	}
	if in.Mem == nil {
		return to
	}
	to = binary.AppendVarint(to, int64(c.params[in.Mem.Param])) // loads from locals are not asked for
	if in.Mem.Guard {
		to = append(to, 'g')
	}
	for _, i := range in.Mem.Index {
		to = append(to, '[')
		for _, t := range i.Terms {
			to = binary.AppendVarint(binary.AppendVarint(to, int64(t.Axis)), t.Factor)
		}
		to = append(to, '+')
		if i.Value != kernel.None {
			to = binary.AppendVarint(to, int64(c.ids[i.Value]))
		}
		to = binary.AppendVarint(append(to, '+'), i.Offset)
	}
	return to
}

// dropEmpty takes away stages without instructions.
func dropEmpty(k *kernel.Kernel) {
	kept := k.Stages[:0]
	for _, s := range k.Stages {
		if s.Begin < s.End {
			kept = append(kept, s)
		}
	}
	k.Stages = kept
}
