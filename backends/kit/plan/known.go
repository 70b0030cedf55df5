package plan

import (
	"math/big"
	"slices"
)

// Known are the values of a program that are the same in all runs, because they depend on
// constants and bound arguments alone, as A·B in x·(A·B) does.
type Known struct {
	Steps  []bool    // by step: it makes known values only, and need not run again
	Values []ValueID // temporaries that other steps read: what to keep of a run of Steps
}

// smallKnown is the most bytes of a value that is kept whatever it is computed of.
const smallKnown = 64 << 10

// Known returns what is known once some arguments are bound; bound says of each of
// [Program.Args] whether it is. Varying says of each step whether it depends on an open size; nil:
// none does. A value with more bytes than the arguments that it is computed of is
// not kept: weights of 8 bits as f32 would take four times their memory, where in the arena
// they take turns.
func (p *Program) Known(bound, varying []bool) Known {
	k := knowing{Program: p, known: make([]bool, len(p.Values)), steps: make([]bool, len(p.Steps))}
	for v := range p.Values {
		switch val := &p.Values[v]; val.Kind {
		case Temporary, Constant:
			k.known[v] = true
		case Argument:
			k.known[v] = bound[val.Index]
		}
	}
	for i := range p.Steps {
		l := p.Steps[i].Launch()
		k.steps[i] = l != nil && len(l.Moving) == 0 && (varying == nil || !varying[i])
	}
	for k.spread() || k.large() {
		continue
	}
	return Known{k.steps, k.kept()}
}

// knowing is the search for what is known. It begins with all that could be.
type knowing struct {
	*Program
	known []bool // by value
	steps []bool // by step
}

// spread takes back what depends on what is not known. It reports whether there was any.
func (k *knowing) spread() (changed bool) {
	for i := range k.Steps {
		reads, writes := k.Steps[i].Work.Access(k.Program)
		unknown := func(v ValueID) bool { return !k.known[v] }
		if k.steps[i] && (slices.ContainsFunc(reads, unknown) || slices.ContainsFunc(writes, unknown)) {
			k.steps[i], changed = false, true
		}
		if !k.steps[i] {
			for _, v := range writes {
				changed = changed || k.known[v]
				k.known[v] = false
			}
		}
	}
	return changed
}

// kept returns the known temporaries that other steps read.
func (k *knowing) kept() (all []ValueID) {
	for i := range k.Steps {
		if k.steps[i] {
			continue
		}
		reads, _ := k.Steps[i].Work.Access(k.Program)
		for _, v := range reads {
			if k.known[v] && k.Values[v].Kind == Temporary && !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
	}
	return all
}

// large takes back one value that is too large to be kept. It reports whether there was one.
func (k *knowing) large() bool {
	sources := k.sources()
	for _, v := range k.kept() {
		n, from := k.Values[v].Type.Bytes(), 0
		for a, id := range k.Args {
			if sources[v].Bit(a) != 0 {
				from += k.Values[id].Type.Bytes()
			}
		}
		if n > max(from, smallKnown) {
			k.known[v] = false
			return true
		}
	}
	return false
}

// sources returns, by value, the set of the arguments that the known ones are computed of.
func (k *knowing) sources() []big.Int {
	all := make([]big.Int, len(k.Values))
	for a, v := range k.Args {
		all[v].SetBit(&all[v], a, 1)
	}
	for i := range k.Steps {
		if !k.steps[i] {
			continue
		}
		reads, writes := k.Steps[i].Work.Access(k.Program)
		for _, v := range writes {
			for _, r := range reads {
				all[v].Or(&all[v], &all[r])
			}
		}
	}
	return all
}
