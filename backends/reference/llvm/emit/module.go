package emit

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
)

// Symbol returns the name of the function that runs a kernel. It depends on the
// kernel's text but for its name.
func Symbol(k *kernel.Kernel) string {
	c := *k
	c.Name = "k"
	sum := sha256.Sum256([]byte(c.String()))
	return "k" + hex.EncodeToString(sum[:12])
}

// Module returns the text of a module with the functions of all kernels that can be
// emitted, each once, in an order of its own. It also returns their schedules: nil for a
// kernel of which there is no function. Equal kernels have one schedule. All have passed
// [kernel.Verify]. The text is empty if there are no functions. look is called before each
// kernel.
func Module(kernels []*kernel.Kernel, m vector.Machine, look func()) (string, []*Schedule) {
	type entry struct {
		symbol string
		k      *kernel.Kernel
	}
	var all []entry
	symbols := make([]string, len(kernels))
	for i, k := range kernels {
		symbols[i] = Symbol(k)
		all = append(all, entry{symbols[i], k})
	}
	slices.SortStableFunc(all, func(a, b entry) int { return strings.Compare(a.symbol, b.symbol) })
	all = slices.CompactFunc(all, func(a, b entry) bool { return a.symbol == b.symbol })

	module := vector.NewModule(m)
	schedules, some := map[string]*Schedule{}, false
	for _, e := range all {
		look()
		s := Plan(e.k, m)
		if s == nil || !supported(e.k) {
			continue
		}
		write(module, e.symbol, e.k, s)
		module.Flush()
		schedules[e.symbol], some = s, true
	}
	list := make([]*Schedule, len(kernels))
	for i := range kernels {
		list[i] = schedules[symbols[i]]
	}
	if !some {
		return "", list
	}
	return module.String(), list
}

// supported reports whether there is code for all that the kernel computes.
func supported(k *kernel.Kernel) bool {
	for n := range k.Instrs {
		i := &k.Instrs[n]
		t := i.Type
		if len(i.Args) > 0 {
			t = k.Instrs[i.Args[0]].Type
		}
		op := i.Op
		switch {
		case op == kernel.Reduce:
			op = kernel.Op(i.Aux)
		case op == kernel.Scan:
			op, _ = kernel.AsScan(i.Aux)
		case op == kernel.Store && i.Mem.Combine != kernel.Invalid:
			op, t = i.Mem.Combine, i.Type
		case !op.Computes():
			continue
		}
		if !vector.Supports(op, t) {
			return false
		}
	}
	return true
}

// Schedules returns the schedules that [Module] would, without writing it.
func Schedules(kernels []*kernel.Kernel, m vector.Machine) []*Schedule {
	list := make([]*Schedule, len(kernels))
	for i, k := range kernels {
		if supported(k) {
			list[i] = Plan(k, m)
		}
	}
	return list
}
