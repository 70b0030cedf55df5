package stablehlo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
	"ltc/stablehlo"
)

func meshAttr(t *testing.T, mesh, axes string) (mlir.Attribute, *mlir.Module) {
	m, err := stablehlo.Parse("mesh.mlir", `"t.o"() {g = #stablehlo.replica_group_mesh_axes<mesh = `+mesh+`, axes = [`+axes+`]>} : () -> ()
"t.mesh"() {sym_name = "m", stablehlo.mesh = {axes = [{name = "x", size = 2}, {name = "y", size = 2}], device_ids = dense<[0, 2, 1, 3]> : tensor<4xi64>}} : () -> ()`)
	require.NoError(t, err)
	return m.Ops[0].Attrs.Get("g"), m
}

const (
	mesh2x3 = `#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 3>]>`
	mesh8   = `#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 8>]>`
)

func meshAxis(name string) string { return `#stablehlo.axis_ref<name = "` + name + `">` }

func meshPart(name, split string) string {
	return `#stablehlo.axis_ref<name = "` + name + `", sub_axis_info = ` + split + `>`
}

func TestMeshGroups(t *testing.T) {
	for _, c := range []struct {
		mesh, axes string
		want       [][]int64
	}{
		{mesh2x3, meshAxis("x"), [][]int64{{0, 3}, {1, 4}, {2, 5}}},
		{mesh2x3, meshAxis("y"), [][]int64{{0, 1, 2}, {3, 4, 5}}},
		{mesh2x3, meshAxis("x") + ", " + meshAxis("y"), [][]int64{{0, 1, 2, 3, 4, 5}}},
		{mesh2x3, meshAxis("y") + ", " + meshAxis("x"), [][]int64{{0, 3, 1, 4, 2, 5}}},
		{mesh2x3, "", [][]int64{{0}, {1}, {2}, {3}, {4}, {5}}},
		{mesh8, meshPart("x", "(1)2"), [][]int64{{0, 4}, {1, 5}, {2, 6}, {3, 7}}},
		{mesh8, meshPart("x", "(4)2"), [][]int64{{0, 1}, {2, 3}, {4, 5}, {6, 7}}},
		{mesh8, meshPart("x", "(2)2") + ", " + meshPart("x", "(1)2"), [][]int64{{0, 4, 2, 6}, {1, 5, 3, 7}}},
		{"@m", meshAxis("x"), [][]int64{{0, 1}, {2, 3}}},
		{"@m", meshAxis("y"), [][]int64{{0, 2}, {1, 3}}},
	} {
		got, err := stablehlo.MeshGroups(meshAttr(t, c.mesh, c.axes))
		require.NoError(t, err, c.axes)
		require.Equal(t, c.want, got, c.axes)
	}
	for _, c := range []struct{ mesh, axes, want string }{
		{mesh2x3, meshAxis("z"), `axis "z" is not one of the mesh`},
		{mesh2x3, meshAxis("x") + ", " + meshAxis("x"), `axis "x" is referred to by parts that overlap`},
		{mesh8, meshAxis("x") + ", " + meshPart("x", "(1)2"), `axis "x" is referred to by parts that overlap`},
		{mesh8, meshPart("x", "(1)3"), `axis "x" of size 8 cannot be cut into parts at [1 3 8]`},
		{mesh8, meshPart("x", "(4)4"), `axis "x" of size 8 cannot be cut into parts at [1 4 8 16]`},
		{mesh8, meshPart("x", "(0)2"), "an axis is"},
		{mesh8, "1", "an axis is 1, but should be #stablehlo.axis_ref<name = …>"},
		{"1", meshAxis("x"), "mesh is 1, but should be #stablehlo.mesh<axes = […]> or a symbol"},
		{"@none", meshAxis("x"), "there is no mesh @none in this module"},
		{`#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 0>]>`, meshAxis("x"), `axis "x" of a mesh has size 0`},
		{`#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 1048576>, #stablehlo.mesh_axis<name = "y", size = 2>]>`, meshAxis("x"), `axis "y" of a mesh has size 2`},
		{`#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = dense<[1, 1]> : tensor<2xi64>>`, meshAxis("x"), "device_ids should have each device of the mesh once"},
	} {
		_, err := stablehlo.MeshGroups(meshAttr(t, c.mesh, c.axes))
		require.ErrorContains(t, err, c.want)
	}
}
