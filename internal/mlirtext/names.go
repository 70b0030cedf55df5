package mlirtext

import (
	"strconv"
	"strings"

	"ltc/internal/lexeme"
	"ltc/mlir"
)

// names gives every value of a module the name it prints with. As in MLIR, a
// region's values are numbered before those of the regions in it; arguments of
// entry blocks are %arg0, %arg1, …; an isolated op starts again from zero.
type names struct {
	value  map[*mlir.Value]valueName
	labels map[*mlir.Block]string
	target map[*mlir.Block]bool // blocks that are a successor
	taken  map[string]bool      // names in sight
	undo   []string             // names in taken, in order, to be forgotten
	next   int                  // next %N
	arg    int                  // next %argN
}

// valueName is base, of which index is the number behind # (-1: none); count
// values share it from the first on.
type valueName struct {
	base         string
	index, count int
}

func newNames() *names {
	return &names{value: map[*mlir.Value]valueName{}, labels: map[*mlir.Block]string{}, target: map[*mlir.Block]bool{}, taken: map[string]bool{}}
}

// of returns v's name. A value that is not in the module gets one that tells.
func (n *names) of(v *mlir.Value) valueName {
	if x, ok := n.value[v]; ok {
		return x
	}
	n.define(v, v.Name, "")
	return n.value[v]
}

func (n *names) label(b *mlir.Block) string {
	if s := n.labels[b]; s != "" {
		return s
	}
	return "bb0"
}

// define names v want if that can be written and is free, and otherwise by
// number.
func (n *names) define(v *mlir.Value, want, prefix string) {
	n.value[v] = valueName{n.pick(want, prefix), -1, 1}
}

func (n *names) pick(want, prefix string) string {
	s := want
	if !goodName(s) {
		count := &n.next
		if prefix != "" {
			count = &n.arg
		}
		for s = ""; s == "" || n.taken[s]; *count++ {
			s = prefix + strconv.Itoa(*count)
		}
	}
	for i := 0; n.taken[s]; i++ {
		s = want + "_" + strconv.Itoa(i)
		if lexeme.IsDigit(want[0]) {
			s = "v" + s
		}
	}
	n.taken[s] = true
	n.undo = append(n.undo, s)
	return s
}

// goodName reports whether s can be written behind %.
func goodName(s string) bool {
	if s == "" {
		return false
	}
	if lexeme.IsDigit(s[0]) {
		return strings.Trim(s, "0123456789") == ""
	}
	return lexeme.IdentEnd(s, 0, "$.-") == len(s) && s[len(s)-1] != '-'
}

// op names what is in the regions of op.
func (n *names) op(op *mlir.Op) {
	if op.Code.Info().Traits.Has(mlir.Isolated) {
		inner := newNames()
		inner.value, inner.labels, inner.target = n.value, n.labels, n.target
		inner.regionsOf(op)
		return
	}
	n.regionsOf(op)
}

func (n *names) regionsOf(op *mlir.Op) {
	var like []*mlir.Value // of a while that prints pretty: both regions' arguments share names
	for i, r := range op.Regions {
		next, arg, mark := n.next, n.arg, len(n.undo)
		n.region(r, like)
		for _, s := range n.undo[mark:] {
			delete(n.taken, s)
		}
		n.next, n.arg, n.undo = next, arg, n.undo[:mark]
		if i == 0 && op.Code.Info().Traits.Has(mlir.SharedArgs) && forms[op.Code].syntax.Fits(op) {
			like = r.Blocks[0].Args
		}
	}
}

func (n *names) region(r *mlir.Region, like []*mlir.Value) {
	used := map[string]bool{}
	for i, b := range r.Blocks {
		l := b.Label
		for k := i; used[l] || !goodName(l); k++ {
			l = "bb" + strconv.Itoa(k)
		}
		used[l] = true
		n.labels[b] = l
		prefix := ""
		if i == 0 {
			prefix = "arg"
		}
		for k, a := range b.Args {
			want := a.Name
			if k < len(like) {
				want = n.value[like[k]].base
			}
			n.define(a, want, prefix)
		}
		n.block(b.Ops)
	}
	for _, b := range r.Blocks {
		for _, op := range b.Ops {
			n.op(op)
		}
	}
}

// block names the results of ops.
func (n *names) block(ops []*mlir.Op) {
	for _, op := range ops {
		for _, s := range op.Successors {
			n.target[s] = true
		}
		for i := 0; i < len(op.Results); {
			k := i + 1 // results of one name are a group, as are those without
			for k < len(op.Results) && op.Results[k].Name == op.Results[i].Name {
				k++
			}
			base := n.pick(op.Results[i].Name, "")
			for j := i; j < k; j++ {
				x := valueName{base, j - i, k - i}
				if k-i == 1 {
					x.index = -1
				}
				n.value[op.Results[j]] = x
			}
			i = k
		}
	}
}
