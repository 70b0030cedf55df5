package explain

import "ltc/ir"

// Sketch counts the ops of a program by the hash of their labels. It bounds from below in
// how many ops two programs differ, without comparing them.
type Sketch [32]uint16

// add counts an op. A count stays at its largest value rather than begin again.
func (s *Sketch) add(label uint64) {
	if x := &s[label%uint64(len(s))]; *x < 1<<16-1 {
		*x++
	}
}

// SketchOf returns the sketch of a graph.
func SketchOf(g *ir.Graph) (s Sketch) {
	for _, n := range g.Nodes {
		s.add(labelOf(n))
	}
	return s
}

// Least is a number of ops in which programs of two sketches differ at least.
func (s *Sketch) Least(t *Sketch) int {
	n := 0
	for i := range s {
		if d := int(s[i]) - int(t[i]); d < 0 {
			n -= d
		} else {
			n += d
		}
	}
	return (n + 1) / 2
}

// Sketch returns the sketch of a program.
func (p *Program) Sketch() (s Sketch) {
	for i := range p.ops {
		s.add(p.ops[i].Label)
	}
	return s
}
