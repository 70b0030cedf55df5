module @jit_f attributes {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<?x5x3xf32>) -> (tensor<?x5x3xf32> {jax.result_info = "result[0]"}, tensor<?x3x3xf32> {jax.result_info = "result[1]"}, tensor<?x3x3xf32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x5x3xf32>) -> tensor<i32>
    %1 = stablehlo.convert %0 : (tensor<i32>) -> tensor<i64>
    %2 = stablehlo.compare GE, %1, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%2, %1) {api_version = 2 : i32, error_message = "Input shapes do not match the polymorphic shapes specification. Expected value >= 1 for dimension variable 'b'. Using the following polymorphic shapes specifications: args[0].shape = (b, 5, 3). Obtained dimension variables: 'b' = {0} from specification 'b' for dimension args[0].shape[0] (= {0}), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details.", has_side_effect = true} : (tensor<i1>, tensor<i64>) -> ()
    %3:3 = call @_wrapped_jax_export_main(%1, %arg0) : (tensor<i64>, tensor<?x5x3xf32>) -> (tensor<?x5x3xf32>, tensor<?x3x3xf32>, tensor<?x3x3xf32>)
    return %3#0, %3#1, %3#2 : tensor<?x5x3xf32>, tensor<?x3x3xf32>, tensor<?x3x3xf32>
  }
  func.func private @_wrapped_jax_export_main(%arg0: tensor<i64> {jax.global_constant = "b"}, %arg1: tensor<?x5x3xf32>) -> (tensor<?x5x3xf32> {jax.result_info = "result[0]"}, tensor<?x3x3xf32> {jax.result_info = "result[1]"}, tensor<?x3x3xf32> {jax.result_info = "result[2]"}) {
    %0:2 = call @qr(%arg0, %arg1) : (tensor<i64>, tensor<?x5x3xf32>) -> (tensor<?x5x3xf32>, tensor<?x3x3xf32>)
    %1 = stablehlo.dot_general %0#0, %0#1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<?x5x3xf32>, tensor<?x3x3xf32>) -> tensor<?x5x3xf32>
    %2 = stablehlo.abs %0#1 : tensor<?x3x3xf32>
    %3 = stablehlo.transpose %0#0, dims = [0, 2, 1] : (tensor<?x5x3xf32>) -> tensor<?x3x5xf32>
    %4 = stablehlo.dot_general %3, %0#0, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<?x3x5xf32>, tensor<?x5x3xf32>) -> tensor<?x3x3xf32>
    return %1, %2, %4 : tensor<?x5x3xf32>, tensor<?x3x3xf32>, tensor<?x3x3xf32>
  }
  func.func private @qr(%arg0: tensor<i64> {jax.global_constant = "b"}, %arg1: tensor<?x5x3xf32>) -> (tensor<?x5x3xf32>, tensor<?x3x3xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %c_1 = stablehlo.constant dense<3> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<5> : tensor<1xi32>
    %0 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.concatenate %1, %c_2, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %3 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %4 = stablehlo.reshape %3 : (tensor<i32>) -> tensor<1xi32>
    %5 = stablehlo.concatenate %4, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %6:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg1, %2, %5) {indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>, mhlo.backend_config = {}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>]} : (tensor<?x5x3xf32>, tensor<3xi32>, tensor<2xi32>) -> (tensor<?x5x3xf32>, tensor<?x3xf32>)
    %7 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %8 = stablehlo.reshape %7 : (tensor<i32>) -> tensor<1xi32>
    %9 = stablehlo.concatenate %8, %c_2, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %10 = stablehlo.custom_call @lapack_sorgqr_ffi(%6#0, %6#1, %9) {indices_of_shape_operands = dense<2> : tensor<1xi64>, mhlo.backend_config = {}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]} : (tensor<?x5x3xf32>, tensor<?x3xf32>, tensor<3xi32>) -> tensor<?x5x3xf32>
    %11 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<1xi64>
    %12 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %13 = stablehlo.reshape %12 : (tensor<i32>) -> tensor<1xi32>
    %14 = stablehlo.concatenate %13, %c_1, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %15 = "stablehlo.dynamic_gather"(%6#0, %11, %14) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1, 2], start_index_map = [1]>, indices_are_sorted = true}> : (tensor<?x5x3xf32>, tensor<1xi64>, tensor<3xi32>) -> tensor<?x3x3xf32>
    %16 = stablehlo.iota dim = 0 : tensor<3x3xi64>
    %17 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
    %18 = stablehlo.add %16, %17 : tensor<3x3xi64>
    %19 = stablehlo.iota dim = 1 : tensor<3x3xi64>
    %20 = stablehlo.compare GE, %18, %19, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
    %21 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %22 = stablehlo.reshape %21 : (tensor<i32>) -> tensor<1xi32>
    %23 = stablehlo.concatenate %22, %c_1, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %24 = stablehlo.dynamic_broadcast_in_dim %20, %23, dims = [1, 2] : (tensor<3x3xi1>, tensor<3xi32>) -> tensor<?x3x3xi1>
    %25 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %26 = stablehlo.reshape %25 : (tensor<i32>) -> tensor<1xi32>
    %27 = stablehlo.concatenate %26, %c_1, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %28 = stablehlo.dynamic_broadcast_in_dim %cst, %27, dims = [] : (tensor<f32>, tensor<3xi32>) -> tensor<?x3x3xf32>
    %29 = stablehlo.select %24, %28, %15 : tensor<?x3x3xi1>, tensor<?x3x3xf32>
    return %10, %29 : tensor<?x5x3xf32>, tensor<?x3x3xf32>
  }
}
