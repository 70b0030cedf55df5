// Package mincut finds minimum cuts of networks. Its central type is [Network].
//
// The package imports only the standard library.
package mincut

import "slices"

// Network is a directed graph whose arcs have capacities: what it costs that an arc leads
// from the side of the source to that of the sink. The sum of all capacities but those that
// are [Unlimited] has to be below Unlimited.
type Network struct {
	arcs     []arc   // an arc and its reverse are neighbours
	outgoing [][]int // by node: the arcs that leave it
	level    []int   // by node: how many arcs from the source, -1 if it is not reached
	next     []int   // by node: the first of its arcs that may still take flow
}

type arc struct {
	to   int
	left int64 // of the capacity
}

// The first two nodes of a network.
const (
	Source = iota
	Sink
)

// Unlimited is the capacity of an arc that is never cut.
const Unlimited int64 = 1 << 62

// New returns a network of a source and a sink.
func New() *Network { return &Network{outgoing: make([][]int, 2)} }

// Node adds a node and returns its number.
func (n *Network) Node() int {
	n.outgoing = append(n.outgoing, nil)
	return len(n.outgoing) - 1
}

// Arc adds an arc between two nodes.
func (n *Network) Arc(from, to int, capacity int64) {
	if from == to || capacity == 0 {
		return
	}
	n.outgoing[from] = append(n.outgoing[from], len(n.arcs))
	n.outgoing[to] = append(n.outgoing[to], len(n.arcs)+1)
	n.arcs = append(n.arcs, arc{to, capacity}, arc{from, 0})
}

// SourceCost is the cost of the cut that has nothing but the source on its side. It holds
// before [Network.Cut].
func (n *Network) SourceCost() int64 {
	sum := int64(0)
	for _, a := range n.outgoing[Source] {
		if a%2 == 0 {
			sum += n.arcs[a].left
		}
	}
	return sum
}

// mostLengths is how many lengths of paths Cut looks at, each in a time that grows with the
// network. Networks of whole models need some tens.
const mostLengths = 128

// Cut returns the cost of a minimum cut, and which nodes are on the side of the source: as
// few as can be. Ok is false if the paths from the source to the sink have too many lengths.
// Cut calls look before each length, and uses up the network.
//
// The algorithm is Yefim Dinitz's, which sends flow along shortest paths until there is none
// left.
func (n *Network) Cut(look func()) (cost int64, atSource []bool, ok bool) {
	for lengths := 0; n.levels(); lengths++ {
		if lengths == mostLengths {
			return 0, nil, false
		}
		look()
		n.next = make([]int, len(n.outgoing))
		for {
			flow := n.send(Source, Unlimited)
			if flow == 0 {
				break
			}
			cost += flow
		}
	}
	atSource = make([]bool, len(n.outgoing))
	for v, l := range n.level {
		atSource[v] = l >= 0
	}
	return cost, atSource, true
}

// levels finds how far nodes are from the source; false if the sink is not reached.
func (n *Network) levels() bool {
	n.level = slices.Repeat([]int{-1}, len(n.outgoing))
	n.level[Source] = 0
	queue := []int{Source}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, i := range n.outgoing[v] {
			if a := n.arcs[i]; a.left > 0 && n.level[a.to] < 0 {
				n.level[a.to] = n.level[v] + 1
				queue = append(queue, a.to)
			}
		}
	}
	return n.level[Sink] >= 0
}

// send sends up to limit from a node to the sink, along arcs from level to level.
func (n *Network) send(v int, limit int64) int64 {
	if v == Sink {
		return limit
	}
	sent := int64(0)
	for ; n.next[v] < len(n.outgoing[v]); n.next[v]++ {
		i := n.outgoing[v][n.next[v]]
		if a := n.arcs[i]; a.left > 0 && n.level[a.to] == n.level[v]+1 {
			flow := n.send(a.to, min(a.left, limit-sent))
			n.arcs[i].left -= flow
			n.arcs[i^1].left += flow
			if sent += flow; sent == limit {
				return sent
			}
		}
	}
	return sent
}
