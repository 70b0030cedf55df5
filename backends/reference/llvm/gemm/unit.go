package gemm

// Unit is a module of kernels that plans need. Units of the same name made for
// the same machine are the same.
type Unit struct {
	Name string
	emit func() string
}

// Text returns the module's text. It has one function to be called from
// outside, which has the unit's name.
func (u Unit) Text() string { return u.emit() }

// Units returns what has to be compiled for the plan.
func (q *Plan) Units() []Unit {
	c := q.core
	unit := func(name string, emit func(m *module)) Unit {
		return Unit{name, func() string {
			m := newModule(q.on)
			emit(m)
			return m.String()
		}}
	}
	b := packer{core: c, from: q.p.B, prologue: q.p.PrologueB.Emit}
	all := []Unit{unit(q.kernel, func(m *module) {
		if q.vector {
			m.vecmat(b, q.kernel, q.orderB())
		} else {
			m.macro(c, q.kernel)
		}
	})}
	if q.packA != "" {
		all = append(all, unit(q.packA, func(m *module) {
			p := packer{core: c, from: q.p.A, flip: c.offset, prologue: q.p.PrologueA.Emit}
			m.packA(p, q.packA, q.orderA())
		}))
	}
	if q.packB != "" {
		all = append(all, unit(q.packB, func(m *module) { m.packB(b, q.packB, q.orderB()) }))
	}
	if q.epilogue != "" {
		all = append(all, unit(q.epilogue, func(m *module) {
			m.epilogue(q.epilogue, finish{q.p.Acc, q.p.C, q.p.StrideC[2] == 1, q.swapped, q.p.Epilogue.Emit})
		}))
	}
	return all
}
