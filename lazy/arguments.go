package lazy

import "ltc/ir"

// arguments are the values that a step reads, with their nodes. The first few are in a
// list, which takes less to fill, to search and to empty than a map.
type arguments struct {
	list [8]argument
	n    int                 // in list
	more map[*value]*ir.Node // nil while the list is enough
}

type argument struct {
	value *value
	node  *ir.Node
}

// of returns the node of v; nil if the step has not read it.
func (a *arguments) of(v *value) *ir.Node {
	for i := range a.list[:a.n] {
		if a.list[i].value == v {
			return a.list[i].node
		}
	}
	return a.more[v]
}

// add adds v, which is not there.
func (a *arguments) add(v *value, n *ir.Node) {
	if a.n < len(a.list) {
		a.list[a.n] = argument{v, n}
		a.n++
		return
	}
	if a.more == nil {
		a.more = map[*value]*ir.Node{}
	}
	a.more[v] = n
}

func (a *arguments) forget() {
	clear(a.list[:a.n])
	a.n = 0
	clear(a.more)
}
