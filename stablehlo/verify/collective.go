package verify

import (
	"slices"

	"ltc/internal/diag"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// groups checks replica_groups: a matrix of ids, each once, filled up with -1
// where fill allows it; or the axes of a mesh, which give no shape.
// It returns the matrix's shape. How many processes a row stands for depends
// on the channel and on how many partitions there are, so that sizes that
// follow from it can only be checked to be multiples.
func (v *verifier) groups(op *mlir.Op, unique, ids string, fill bool) (shape []int64) {
	a := op.Attrs.Get("replica_groups")
	if s, ok := a.(mlir.StructAttr); ok && s.Name == "stablehlo.replica_group_mesh_axes" {
		v.meshAxes(op, s)
		return nil
	}
	d, list := v.dense(op, "replica_groups", "dense<…> with integers", a)
	if len(d.Type.Shape) != 2 {
		v.stop(op, unique, "replica_groups is %s, but should have 2 dimensions", d.Type)
	}
	var used []int64
	for _, id := range list {
		if id == -1 && fill {
			continue
		}
		if id < 0 {
			v.stop(op, ids, "replica_groups has %d, but ids are not negative", id)
		}
		used = append(used, id)
	}
	v.unique(op, unique, "replica_groups", used...)
	return d.Type.Shape
}

// meshAxes checks axes of a mesh, which is in the attribute or named by a
// symbol. What a symbol names may be of any dialect: its axes are checked if
// they are those of an attribute stablehlo.mesh.
func (v *verifier) meshAxes(op *mlir.Op, a mlir.StructAttr) {
	if name, ok := a.Fields.Get("mesh").(mlir.SymbolAttr); ok {
		at := slices.IndexFunc(v.m.Ops, func(o *mlir.Op) bool { return o.SymName() == string(name) })
		if at < 0 {
			v.stop(op, "", "replica_groups: the mesh %s is not defined in this module", name)
		}
		if v.m.Ops[at].Attrs.Get("stablehlo.mesh") == nil {
			return
		}
	}
	if _, err := stablehlo.MeshGroups(a, v.m); err != nil {
		v.stop(op, "", "replica_groups: %s", err)
	}
}

// complete checks groups whose ids are those from 0 to the largest.
func (v *verifier) complete(op *mlir.Op, unique, ids string, fill bool) (shape []int64) {
	shape = v.groups(op, unique, ids, fill)
	list, _ := mlir.Ints(op.Attrs.Get("replica_groups"))
	used := slices.DeleteFunc(slices.Clone(list), func(id int64) bool { return id < 0 })
	slices.Sort(used)
	for i, id := range used {
		if id != int64(i) {
			v.stop(op, ids, "replica_groups has no %d, but should have all ids up to the largest", i)
		}
	}
	return shape
}

// channel checks that a channel is named where global device ids are used.
func (v *verifier) channel(op *mlir.Op, label string) {
	handle := channelHandle(op)
	if mlir.Flag(op.Attrs.Get("use_global_device_ids")) && handle <= 0 {
		v.stop(op, label, "the channel's handle is %d, but should be positive with use_global_device_ids", handle)
	}
}

// channelHandle is the id of the op's channel; 0 if it has none.
func channelHandle(op *mlir.Op) int64 {
	s, _ := op.Attrs.Get("channel_handle").(mlir.StructAttr)
	n, _ := mlir.Int(s.Fields.Get("handle"))
	return n
}

func verifyAllGather(v *verifier, op *mlir.Op) {
	ins, outs := v.each(op, "")
	dim := v.int(op, "C1", "all_gather_dim", 0)
	shape := v.complete(op, "C2", "C4", false)
	v.channel(op, "C5")
	if shape != nil && shape[0]*shape[1] == 0 {
		v.stop(op, "C3", "replica_groups is empty")
	}
	for i, in := range ins {
		out := outs[i]
		v.within(op, "C1", "all_gather_dim", []int64{dim}, len(in.Shape))
		v.resized(op, "C6", in, out, dim)
		x, y := in.Shape[dim], out.Shape[dim]
		switch {
		case x == 0:
			v.stop(op, "C6", "dimension %d of %s is 0, which cannot be gathered", dim, in)
		case !v.multiple(y, x):
			v.stop(op, "C6", "dimension %d of the result is %d, which is no multiple of the operand's %d", dim, y, x)
		}
	}
}

// each checks an op that gives a result for each operand, of which there is
// at least one; label is the rule about their number.
func (v *verifier) each(op *mlir.Op, label string) (ins, outs []*mlir.TensorType) {
	if len(op.Operands) == 0 || len(op.Results) != len(op.Operands) {
		v.stop(op, label, "has %s and %s, but gives one for each of at least one", diag.Count(len(op.Operands), "operand"), diag.Count(len(op.Results), "result"))
	}
	return v.takes(op, slots{many(kPerTensor)}, slots{many(kPerTensor)})
}

// resized checks that in and out are the same but for dimension dim.
func (v *verifier) resized(op *mlir.Op, label string, in, out *mlir.TensorType, dim int64) {
	shape := slices.Clone(in.Shape)
	shape[dim] = mlir.Dynamic
	if !v.sameShape(shape, out.Shape) || !sameElement(in.Elem, out.Elem) {
		v.stop(op, label, "the operand is %s but the result is %s: they should differ in dimension %d only", in, out, dim)
	}
}

func verifyAllReduce(v *verifier, op *mlir.Op) {
	ins, outs := v.each(op, "")
	shape := v.complete(op, "C1", "C3", true)
	v.channel(op, "C4")
	if shape != nil && shape[0]*shape[1] == 0 && mlir.Flag(op.Attrs.Get("use_global_device_ids")) {
		v.stop(op, "C3", "replica_groups is empty, but should have all ids with use_global_device_ids")
	}
	v.combine(op, op.Regions[0], "C5", "C6", "C7", ins, outs)
}

// combine checks a computation of two scalars, which combines the elements of
// each operand, and the results' types.
func (v *verifier) combine(op *mlir.Op, r *mlir.Region, body, shape, elem string, ins, outs []*mlir.TensorType) {
	for i, in := range ins {
		one := []*mlir.TensorType{in}
		elems := v.reducer(op, reduction{r, body, one, scalars(one), nil})
		v.result(op, shape, outs[i], in.Shape, limits(in)...)
		v.bodyElem(op, elem, i, outs[i], elems[0])
	}
}

func verifyReduceScatter(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	dim := v.int(op, "C2", "scatter_dimension", 0)
	in, out := ins[0], outs[0]
	v.complete(op, "C3", "C5", false)
	v.channel(op, "C6")
	v.within(op, "C2", "scatter_dimension", []int64{dim}, len(in.Shape))
	shape := slices.Clone(in.Shape)
	if len(out.Shape) == len(shape) {
		shape[dim] = out.Shape[dim]
	}
	elems := v.reducer(op, reduction{op.Regions[0], "C7", ins, scalars(ins), nil})
	v.result(op, "C8", out, shape)
	x, y := in.Shape[dim], out.Shape[dim]
	switch {
	case x == 0 || y == 0:
		v.stop(op, "C8", "dimension %d of %s and %s should not be 0", dim, in, out)
	case !v.multiple(x, y):
		v.stop(op, "C8", "dimension %d of the operand is %d, which is no multiple of the result's %d", dim, x, y)
	}
	v.bodyElem(op, "C9", 0, out, elems[0])
}

func verifyAllToAll(v *verifier, op *mlir.Op) {
	ins, outs := v.each(op, "")
	var split, concat, count int64
	v.all(
		func() { split = v.int(op, "C1", "split_dimension", 0) },
		func() { concat = v.int(op, "C3", "concat_dimension", 0) },
		func() { count = v.int(op, "C4", "split_count", 1) },
	)
	shape := v.complete(op, "C5", "C7", false)
	if shape != nil && shape[1] != count {
		v.stop(op, "C8", "replica_groups has groups of %d, but split_count is %d", shape[1], count)
	}
	for i, in := range ins {
		v.within(op, "C1", "split_dimension", []int64{split}, len(in.Shape))
		v.within(op, "C3", "concat_dimension", []int64{concat}, len(in.Shape))
		want := slices.Clone(in.Shape)
		if !v.multiple(want[split], count) {
			v.stop(op, "C2", "dimension %d of %s is no multiple of split_count, %d", split, in, count)
		}
		bounds := limits(in)
		if split != concat {
			want[split], want[concat] = scaled(want[split], 1, count), scaled(want[concat], count, 1)
			if !v.multiple(bounds[split], count) {
				v.stop(op, "C2", "the bound of dimension %d of %s is no multiple of split_count, %d", split, in, count)
			}
			bounds[split], bounds[concat] = scaled(bounds[split], 1, count), scaled(bounds[concat], count, 1)
		}
		v.result(op, "C9", outs[i], want, bounds...)
		v.sameElem(op, "C9", in, outs[i])
	}
}

// scaled is d·by/over; an unknown size stays unknown.
func scaled(d, by, over int64) int64 { return dims.Div(dims.Mul(d, by), over) }

func verifyCollectiveBroadcast(v *verifier, op *mlir.Op) {
	v.groups(op, "C1", "C2", false)
	data := v.rooted(op, "C4", "C5")
	ins, outs := v.takes(op, slots{many(kPerTensor)}, slots{many(kPerTensor)})
	label := "C3"
	if len(ins) > data {
		label = "C4"
	}
	v.passed(op, label, ins, outs)
}

// passed checks that each result is of the type of its operand.
func (v *verifier) passed(op *mlir.Op, label string, ins, outs []*mlir.TensorType) {
	for i, out := range outs {
		if !v.sameTensor(ins[i], out) {
			v.stop(op, label, "operand %d is %s but the result is %s", i, ins[i], out)
		}
		v.infer(out, ins[i].Shape)
	}
}

// rooted returns how many operands are data: with has_dynamic_root the last
// one says for each which process is the root.
func (v *verifier) rooted(op *mlir.Op, root, count string) (data int) {
	data = len(op.Operands)
	if mlir.Flag(op.Attrs.Get("has_dynamic_root")) {
		if data < 2 {
			v.stop(op, root, "has %s, but takes at least one and the roots with has_dynamic_root", diag.Count(data, "operand"))
		}
		data--
		t, ok := op.Operands[data].Type.(*mlir.TensorType)
		if !ok || t.Elem != mlir.Type(mlir.I32) || len(t.Shape) != 1 || t.Shape[0] != int64(data) {
			v.stop(op, root, "the roots have type %s, but should be tensor<%dxi32>, one for each operand", op.Operands[data].Type, data)
		}
	}
	if data == 0 || len(op.Results) != data {
		v.stop(op, count, "has %s of data but %s", diag.Count(data, "operand"), diag.Count(len(op.Results), "result"))
	}
	return data
}

func verifyCollectiveReduce(v *verifier, op *mlir.Op) {
	v.complete(op, "C1", "C2", false)
	v.channel(op, "")
	data := v.rooted(op, "C3", "C3")
	ins, outs := v.takes(op, slots{many(kPerTensor)}, slots{many(kPerTensor)})
	v.combine(op, op.Regions[0], "C4", "C3", "C4", ins[:data], outs)
}

func verifyCollectivePermute(v *verifier, op *mlir.Op, ins, outs []*mlir.TensorType) {
	if len(ins) != len(outs) {
		v.stop(op, "C5", "has %s but %s", diag.Count(len(ins), "operand"), diag.Count(len(outs), "result"))
	}
	v.sourceTargets(op, true)
	v.passed(op, "C5", ins, outs)
}

// sourceTargets checks source_target_pairs, with the labels that
// collective_permute, send and recv share.
func (v *verifier) sourceTargets(op *mlir.Op, must bool) {
	a := op.Attrs.Get("source_target_pairs")
	if a == nil && !must {
		return
	}
	d, list := v.dense(op, "source_target_pairs", "dense<…> with pairs of integers", a)
	if s := d.Type.Shape; len(s) != 2 || s[1] != 2 {
		v.stop(op, "C1", "source_target_pairs is %s, but should be a list of pairs", d.Type)
	}
	var sources, targets []int64
	for i := 0; i < len(list); i += 2 {
		if list[i] < 0 || list[i+1] < 0 {
			v.stop(op, "C4", "source_target_pairs has [%d, %d], but ids are not negative", list[i], list[i+1])
		}
		sources, targets = append(sources, list[i]), append(targets, list[i+1])
	}
	v.unique(op, "C2", "the list of sources", sources...)
	v.unique(op, "C3", "the list of targets", targets...)
}

// verifyID checks replica_id and partition_id.
func verifyID(v *verifier, op *mlir.Op, _, outs []*mlir.TensorType) {
	if outs[0].Elem != mlir.Type(mlir.UI32) {
		v.fail(op, "", "the result is %s, but should be tensor<ui32>", outs[0])
	}
}
