package simplify

import "slices"

// network is a directed graph whose arcs have capacities: what it costs that an arc leads
// from the side of the source to that of the sink. Its minimum cut is found by Yefim
// Dinitz's algorithm, which sends flow along shortest paths until there is none left.
type network struct {
	arcs  []arc   // an arc and its reverse are neighbours
	from  [][]int // by node: the arcs that leave it
	level []int   // by node: how many arcs from the source, -1 if it is not reached
	next  []int   // by node: the first of its arcs that may still take flow
}

type arc struct {
	to   int
	left int64 // of the capacity
}

// The first two nodes. Arcs of capacity unlimited are never cut.
const (
	source = iota
	sink
	unlimited int64 = 1 << 62
)

func newNetwork() *network { return &network{from: make([][]int, 2)} }

// node adds a node.
func (n *network) node() int {
	n.from = append(n.from, nil)
	return len(n.from) - 1
}

// arc adds an arc.
func (n *network) arc(from, to int, capacity int64) {
	if from == to || capacity == 0 {
		return
	}
	n.from[from] = append(n.from[from], len(n.arcs))
	n.from[to] = append(n.from[to], len(n.arcs)+1)
	n.arcs = append(n.arcs, arc{to, capacity}, arc{from, 0})
}

// leaving is the cost of the cut that has nothing but the source on its side.
func (n *network) leaving() int64 {
	sum := int64(0)
	for _, a := range n.from[source] {
		if a%2 == 0 {
			sum += n.arcs[a].left
		}
	}
	return sum
}

// mostLengths is how many lengths of paths cut looks at, each in a time that grows with the
// network. Networks of whole models need some tens.
const mostLengths = 128

// cut returns the cost of a minimum cut, and which nodes are on the side of the source: as
// few as can be. Look is called now and then. Ok is false if the paths have too many lengths.
func (n *network) cut(look func()) (cost int64, near []bool, ok bool) {
	for phase := 0; n.levels(); phase++ {
		if phase == mostLengths {
			return 0, nil, false
		}
		look()
		n.next = make([]int, len(n.from))
		for {
			flow := n.send(source, unlimited)
			if flow == 0 {
				break
			}
			cost += flow
		}
	}
	near = make([]bool, len(n.from))
	for v, l := range n.level {
		near[v] = l >= 0
	}
	return cost, near, true
}

// levels finds how far nodes are from the source; false if the sink is not reached.
func (n *network) levels() bool {
	n.level = slices.Repeat([]int{-1}, len(n.from))
	n.level[source] = 0
	queue := []int{source}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, i := range n.from[v] {
			if a := n.arcs[i]; a.left > 0 && n.level[a.to] < 0 {
				n.level[a.to] = n.level[v] + 1
				queue = append(queue, a.to)
			}
		}
	}
	return n.level[sink] >= 0
}

// send sends up to limit from a node to the sink, along arcs from level to level.
func (n *network) send(v int, limit int64) int64 {
	if v == sink {
		return limit
	}
	sent := int64(0)
	for ; n.next[v] < len(n.from[v]); n.next[v]++ {
		i := n.from[v][n.next[v]]
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
