package mlir

import "iter"

// Blocks yields the blocks of the regions of an op, but not those of ops inside.
func (o *Op) Blocks() iter.Seq[*Block] {
	return func(yield func(*Block) bool) {
		for _, r := range o.Regions {
			for _, b := range r.Blocks {
				if !yield(b) {
					return
				}
			}
		}
	}
}

// Inner yields the ops of the blocks of an op.
func (o *Op) Inner() iter.Seq[*Op] {
	return func(yield func(*Op) bool) {
		for b := range o.Blocks() {
			for _, op := range b.Ops {
				if !yield(op) {
					return
				}
			}
		}
	}
}

// Defines yields the results of an op, then the arguments of its blocks.
func (o *Op) Defines() iter.Seq[*Value] {
	return func(yield func(*Value) bool) {
		for _, v := range o.Results {
			if !yield(v) {
				return
			}
		}
		for b := range o.Blocks() {
			for _, v := range b.Args {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// Uses yields the operands of an op, then the values that its regions capture.
func (o *Op) Uses() iter.Seq[*Value] {
	return func(yield func(*Value) bool) {
		for _, v := range o.Operands {
			if !yield(v) {
				return
			}
		}
		if len(o.Regions) > 0 {
			o.captured(map[*Value]bool{}, yield)
		}
	}
}

// Captured yields the values from outside that the regions of an op use, each once.
func (o *Op) Captured() iter.Seq[*Value] {
	return func(yield func(*Value) bool) { o.captured(map[*Value]bool{}, yield) }
}

// captured yields the values that the regions use and that are not yet in known, which has those that are
// defined inside or were yielded. It returns false once yield does.
func (o *Op) captured(known map[*Value]bool, yield func(*Value) bool) bool {
	for b := range o.Blocks() {
		for _, v := range b.Args {
			known[v] = true
		}
		for _, op := range b.Ops {
			for _, v := range op.Operands {
				if !known[v] {
					if known[v] = true; !yield(v) {
						return false
					}
				}
			}
			if !op.captured(known, yield) {
				return false
			}
			for _, v := range op.Results {
				known[v] = true
			}
		}
	}
	return true
}

// Retype gives the values and the functions of a module the types that f returns for those of tensors.
func (m *Module) Retype(f func(*TensorType) *TensorType) {
	now := map[*TensorType]*TensorType{}
	of := func(t Type) Type {
		tt, ok := t.(*TensorType)
		if !ok {
			return t
		}
		if now[tt] == nil {
			now[tt] = f(tt)
		}
		return now[tt]
	}
	all := func(ts []Type) []Type {
		list := make([]Type, len(ts))
		for i, t := range ts {
			list[i] = of(t)
		}
		return list
	}
	m.Walk(func(op *Op) bool {
		for v := range op.Defines() {
			v.Type = of(v.Type)
		}
		if t := op.FuncType(); t != nil {
			op.Attrs.Set("function_type", TypeAttr{Type: &FunctionType{Ins: all(t.Ins), Outs: all(t.Outs)}})
		}
		return true
	})
}
