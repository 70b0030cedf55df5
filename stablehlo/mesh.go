package stablehlo

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"ltc/internal/lexeme"
	"ltc/mlir"
)

// maxDevices bounds the grid of a mesh.
const maxDevices = 1 << 20

// mesh is a grid of devices with names for its axes, the last of which varies
// fastest.
type mesh struct {
	names   []string
	sizes   []int64
	devices []int64 // nil where they are numbered in order
}

// axisRef is an axis of a mesh, or with size > 0 a part of it: of an axis that
// is seen as pre x size x rest, the dimension in the middle.
type axisRef struct {
	name      string
	pre, size int64
}

// MeshGroups returns the lists of ids that
//
//	#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<…>, axes = […]>
//
// stands for: devices that differ only in their place along the axes are a
// group, in the order of the axes as they are listed. A mesh that is named by a
// symbol is looked for in m, among ops with an attribute stablehlo.mesh.
func MeshGroups(a mlir.Attribute, m *mlir.Module) ([][]int64, error) {
	s, ok := a.(mlir.StructAttr)
	if !ok || s.Name != "stablehlo.replica_group_mesh_axes" {
		return nil, fmt.Errorf("%s is not #stablehlo.replica_group_mesh_axes<…>", lexeme.Clip(attrText(a)))
	}
	grid, err := meshOf(s.Fields.Get("mesh"), m)
	if err != nil {
		return nil, err
	}
	list, ok := s.Fields.Get("axes").(mlir.ArrayAttr)
	if !ok {
		return nil, fmt.Errorf("axes should be a list of #stablehlo.axis_ref<…>")
	}
	refs := make([]axisRef, len(list))
	for i, e := range list {
		if refs[i], err = axisRefOf(e); err != nil {
			return nil, err
		}
	}
	return grid.groups(refs)
}

func attrText(a mlir.Attribute) string {
	if a == nil {
		return "nothing"
	}
	return a.String()
}

func meshOf(a mlir.Attribute, m *mlir.Module) (*mesh, error) {
	if name, ok := a.(mlir.SymbolAttr); ok {
		if m != nil {
			for _, op := range m.Ops {
				if x := op.Attrs.Get("stablehlo.mesh"); x != nil && op.SymName() == string(name) {
					return meshOf(x, nil)
				}
			}
		}
		return nil, fmt.Errorf("there is no mesh %s in this module", name)
	}
	fields, ok := a.(mlir.DictAttr)
	if s, isStruct := a.(mlir.StructAttr); isStruct {
		fields, ok = mlir.DictAttr(s.Fields), s.Name == "stablehlo.mesh"
	}
	axes, isList := mlir.Dict(fields).Get("axes").(mlir.ArrayAttr)
	if !ok || !isList {
		return nil, fmt.Errorf("mesh is %s, but should be #stablehlo.mesh<axes = […]> or a symbol", lexeme.Clip(attrText(a)))
	}
	g := &mesh{}
	total := int64(1)
	for _, e := range axes {
		d, _ := e.(mlir.DictAttr)
		if s, ok := e.(mlir.StructAttr); ok {
			d = mlir.DictAttr(s.Fields)
		}
		name, ok1 := mlir.Dict(d).Get("name").(mlir.StringAttr)
		size, ok2 := mlir.Int(mlir.Dict(d).Get("size"))
		switch {
		case !ok1 || !ok2:
			return nil, fmt.Errorf("an axis of a mesh is %s, but has a name and a size", lexeme.Clip(attrText(e)))
		case size < 1 || size > maxDevices/total:
			return nil, fmt.Errorf("axis %s of a mesh has size %d: it should be positive, and all together at most %d", name, size, maxDevices)
		case slices.Contains(g.names, string(name)):
			return nil, fmt.Errorf("a mesh has two axes %s", name)
		}
		total *= size
		g.names, g.sizes = append(g.names, string(name)), append(g.sizes, size)
	}
	return g, g.number(mlir.Dict(fields).Get("device_ids"), total)
}

// number reads the devices, which are those from 0 to n-1 in any order.
func (g *mesh) number(a mlir.Attribute, n int64) error {
	if a == nil {
		return nil
	}
	ids, ok := mlir.Ints(a)
	if !ok {
		return fmt.Errorf("device_ids is %s, but should be integers", lexeme.Clip(a.String()))
	}
	if len(ids) == 0 {
		return nil
	}
	order := slices.Sorted(slices.Values(ids))
	for i, id := range order {
		if id != int64(i) {
			n = -1
		}
	}
	if int64(len(ids)) != n {
		return fmt.Errorf("device_ids should have each device of the mesh once")
	}
	g.devices = ids
	return nil
}

// axisPart is a part of an axis: axis_ref<name = "x", sub_axis_info = (1)2>.
var axisPart = regexp.MustCompile(`^stablehlo\.axis_ref *< *name *= *("(?:[^"\\]|\\.)*") *, *sub_axis_info *= *\( *(-?\d+) *\) *(-?\d+) *>$`)

// axisRefOf reads #stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>, which
// with the second field is kept as text.
func axisRefOf(a mlir.Attribute) (axisRef, error) {
	bad := fmt.Errorf("an axis is %s, but should be #stablehlo.axis_ref<name = …>", lexeme.Clip(attrText(a)))
	if s, ok := a.(mlir.StructAttr); ok && s.Name == "stablehlo.axis_ref" {
		name, ok := s.Fields.Get("name").(mlir.StringAttr)
		if !ok || len(s.Fields) > 1 {
			return axisRef{}, bad
		}
		return axisRef{name: string(name)}, nil
	}
	d, ok := a.(mlir.DialectAttr)
	if !ok {
		return axisRef{}, bad
	}
	m := axisPart.FindStringSubmatch(d.Text)
	if m == nil {
		return axisRef{}, bad
	}
	ref := axisRef{}
	var err1, err2 error
	ref.name, ok = lexeme.Unquote(m[1])
	ref.pre, err1 = strconv.ParseInt(m[2], 10, 64)
	ref.size, err2 = strconv.ParseInt(m[3], 10, 64)
	if !ok || err1 != nil || err2 != nil || min(ref.pre, ref.size) < 1 || max(ref.pre, ref.size) > maxDevices {
		return axisRef{}, bad
	}
	return ref, nil
}

// groups cuts the axes into the parts that are referred to, and lists the
// devices with the others outermost.
func (g *mesh) groups(refs []axisRef) ([][]int64, error) {
	var sizes []int64          // of the parts of all axes
	taken := map[axisRef]int{} // which part a reference is
	for i, name := range g.names {
		cuts := []int64{1, g.sizes[i]}
		for _, r := range refs {
			if r.name == name && r.size > 0 {
				cuts = append(cuts, r.pre, r.pre*r.size)
			}
		}
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		for k := range max(len(cuts)-1, 1) {
			next := cuts[min(k+1, len(cuts)-1)]
			if next%cuts[k] != 0 || next > g.sizes[i] {
				return nil, fmt.Errorf("axis %q of size %d cannot be cut into parts at %v", lexeme.Clip(name), g.sizes[i], cuts)
			}
			taken[axisRef{name, cuts[k], next / cuts[k]}] = len(sizes)
			sizes = append(sizes, next/cuts[k])
		}
	}
	var inner []int
	for _, r := range refs {
		at := slices.Index(g.names, r.name)
		if at < 0 {
			return nil, fmt.Errorf("axis %q is not one of the mesh", lexeme.Clip(r.name))
		}
		if r.size == 0 {
			r.pre, r.size = 1, g.sizes[at]
		}
		part, ok := taken[r]
		if !ok || slices.Contains(inner, part) {
			return nil, fmt.Errorf("axis %q is referred to by parts that overlap", lexeme.Clip(r.name))
		}
		inner = append(inner, part)
	}
	return g.list(sizes, inner), nil
}

// list lists the devices of a grid of the given sizes, a group for each place
// along the dimensions that are not inner.
func (g *mesh) list(sizes []int64, inner []int) [][]int64 {
	total, each := int64(1), int64(1)
	strides := make([]int64, len(sizes))
	for i := len(sizes) - 1; i >= 0; i-- {
		strides[i] = total
		total *= sizes[i]
	}
	var order []int
	for i := range sizes {
		if !slices.Contains(inner, i) {
			order = append(order, i)
		}
	}
	for _, i := range inner {
		each *= sizes[i]
	}
	order = append(order, inner...)
	groups := make([][]int64, 0, total/each)
	for n := range total {
		at, rest := int64(0), n
		for k := len(order) - 1; k >= 0; k-- {
			d := order[k]
			at += rest % sizes[d] * strides[d]
			rest /= sizes[d]
		}
		if g.devices != nil {
			at = g.devices[at]
		}
		if n%each == 0 {
			groups = append(groups, make([]int64, 0, each))
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], at)
	}
	return groups
}
