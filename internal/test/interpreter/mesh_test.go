package interpreter

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/soa"
)

// Four partitions sum their numbers 1, 2, 4 and 8 along an axis of a 2x2 mesh.
func TestMeshAxes(t *testing.T) {
	program := func(mesh, axis string) string {
		return strings.NewReplacer("MESH", mesh, "AXIS", axis).Replace(`
"t.mesh"() {sym_name = "mesh", stablehlo.mesh = {axes = [{name = "x", size = 2}, {name = "y", size = 2}]}} : () -> ()
func.func private @sum() -> tensor<i32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %n = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %mine = stablehlo.shift_left %one, %n : tensor<i32>
  %0 = "stablehlo.all_reduce"(%mine) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = MESH, axes = [#stablehlo.axis_ref<name = "AXIS">]>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func @main() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %0:4 = "interpreter.run_parallel"() {programs = [[@sum, @sum, @sum, @sum]]} : () -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}`)
	}
	const inline = `#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 2>]>`
	for _, c := range []struct {
		mesh, axis string
		want       []int32
	}{
		{inline, "x", []int32{5, 10, 5, 10}},
		{inline, "y", []int32{3, 3, 12, 12}},
		{"@mesh", "x", []int32{5, 10, 5, 10}},
	} {
		call := &backends.Call{}
		require.NoError(t, compile(t, program(c.mesh, c.axis)).Execute(context.Background(), call))
		for i, want := range c.want {
			require.Equal(t, want, soa.Slice[int32](call.Results[i])[0], c)
		}
	}
	err := compileError(program("@none", "x"))
	require.ErrorContains(t, err, "replica_groups: the mesh @none is not defined in this module")
}
