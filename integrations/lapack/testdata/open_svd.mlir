module @jit_f attributes {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<?x5x3xf32>) -> (tensor<?x3xf32> {jax.result_info = "result[0]"}, tensor<?x5x3xf32> {jax.result_info = "result[1]"}, tensor<?x3x3xf32> {jax.result_info = "result[2]"}, tensor<?x3x3xf32> {jax.result_info = "result[3]"}) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x5x3xf32>) -> tensor<i32>
    %1 = stablehlo.convert %0 : (tensor<i32>) -> tensor<i64>
    %2 = stablehlo.compare GE, %1, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%2, %1) {api_version = 2 : i32, error_message = "Input shapes do not match the polymorphic shapes specification. Expected value >= 1 for dimension variable 'b'. Using the following polymorphic shapes specifications: args[0].shape = (b, 5, 3). Obtained dimension variables: 'b' = {0} from specification 'b' for dimension args[0].shape[0] (= {0}), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details.", has_side_effect = true} : (tensor<i1>, tensor<i64>) -> ()
    %3:4 = call @_wrapped_jax_export_main(%1, %arg0) : (tensor<i64>, tensor<?x5x3xf32>) -> (tensor<?x3xf32>, tensor<?x5x3xf32>, tensor<?x3x3xf32>, tensor<?x3x3xf32>)
    return %3#0, %3#1, %3#2, %3#3 : tensor<?x3xf32>, tensor<?x5x3xf32>, tensor<?x3x3xf32>, tensor<?x3x3xf32>
  }
  func.func private @_wrapped_jax_export_main(%arg0: tensor<i64> {jax.global_constant = "b"}, %arg1: tensor<?x5x3xf32>) -> (tensor<?x3xf32> {jax.result_info = "result[0]"}, tensor<?x5x3xf32> {jax.result_info = "result[1]"}, tensor<?x3x3xf32> {jax.result_info = "result[2]"}, tensor<?x3x3xf32> {jax.result_info = "result[3]"}) {
    %c = stablehlo.constant dense<5> : tensor<1xi32>
    %c_0 = stablehlo.constant dense<3> : tensor<1xi32>
    %c_1 = stablehlo.constant dense<1> : tensor<1xi32>
    %0:3 = call @svd(%arg0, %arg1) : (tensor<i64>, tensor<?x5x3xf32>) -> (tensor<?x5x3xf32>, tensor<?x3xf32>, tensor<?x3x3xf32>)
    %1 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %2 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
    %3 = stablehlo.concatenate %2, %c_1, %c_0, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %4 = stablehlo.dynamic_broadcast_in_dim %0#1, %3, dims = [0, 2] : (tensor<?x3xf32>, tensor<3xi32>) -> tensor<?x1x3xf32>
    %5 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %6 = stablehlo.reshape %5 : (tensor<i32>) -> tensor<1xi32>
    %7 = stablehlo.concatenate %6, %c, %c_0, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %8 = stablehlo.dynamic_broadcast_in_dim %4, %7, dims = [0, 1, 2] : (tensor<?x1x3xf32>, tensor<3xi32>) -> tensor<?x5x3xf32>
    %9 = stablehlo.multiply %0#0, %8 : tensor<?x5x3xf32>
    %10 = stablehlo.dot_general %9, %0#2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<?x5x3xf32>, tensor<?x3x3xf32>) -> tensor<?x5x3xf32>
    %11 = stablehlo.transpose %0#0, dims = [0, 2, 1] : (tensor<?x5x3xf32>) -> tensor<?x3x5xf32>
    %12 = stablehlo.dot_general %11, %0#0, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<?x3x5xf32>, tensor<?x5x3xf32>) -> tensor<?x3x3xf32>
    %13 = stablehlo.transpose %0#2, dims = [0, 2, 1] : (tensor<?x3x3xf32>) -> tensor<?x3x3xf32>
    %14 = stablehlo.dot_general %0#2, %13, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<?x3x3xf32>, tensor<?x3x3xf32>) -> tensor<?x3x3xf32>
    return %0#1, %10, %12, %14 : tensor<?x3xf32>, tensor<?x5x3xf32>, tensor<?x3x3xf32>, tensor<?x3x3xf32>
  }
  func.func private @svd(%arg0: tensor<i64> {jax.global_constant = "b"}, %arg1: tensor<?x5x3xf32>) -> (tensor<?x5x3xf32>, tensor<?x3xf32>, tensor<?x3x3xf32>) {
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c = stablehlo.constant dense<1> : tensor<1xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<3> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<5> : tensor<1xi32>
    %0 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.concatenate %1, %c_2, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %3 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %4 = stablehlo.reshape %3 : (tensor<i32>) -> tensor<1xi32>
    %5 = stablehlo.concatenate %4, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %6 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %7 = stablehlo.reshape %6 : (tensor<i32>) -> tensor<1xi32>
    %8 = stablehlo.concatenate %7, %c_2, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %9 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %10 = stablehlo.reshape %9 : (tensor<i32>) -> tensor<1xi32>
    %11 = stablehlo.concatenate %10, %c_1, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %12 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %13 = stablehlo.reshape %12 : (tensor<i32>) -> tensor<1xi32>
    %14:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg1, %2, %5, %8, %11, %13) {indices_of_shape_operands = dense<[1, 2, 3, 4, 5]> : tensor<5xi64>, mhlo.backend_config = {mode = 83 : ui8}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]} : (tensor<?x5x3xf32>, tensor<3xi32>, tensor<2xi32>, tensor<3xi32>, tensor<3xi32>, tensor<1xi32>) -> (tensor<?x5x3xf32>, tensor<?x3xf32>, tensor<?x5x3xf32>, tensor<?x3x3xf32>, tensor<?xi32>)
    %15 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %16 = stablehlo.reshape %15 : (tensor<i32>) -> tensor<1xi32>
    %17 = stablehlo.dynamic_broadcast_in_dim %c_0, %16, dims = [] : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %18 = stablehlo.compare EQ, %14#4, %17, SIGNED : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi1>
    %19 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %20 = stablehlo.reshape %19 : (tensor<i32>) -> tensor<1xi32>
    %21 = stablehlo.concatenate %20, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %22 = stablehlo.dynamic_broadcast_in_dim %18, %21, dims = [0] : (tensor<?xi1>, tensor<2xi32>) -> tensor<?x1xi1>
    %23 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %24 = stablehlo.reshape %23 : (tensor<i32>) -> tensor<1xi32>
    %25 = stablehlo.concatenate %24, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %26 = stablehlo.dynamic_broadcast_in_dim %cst, %25, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x3xf32>
    %27 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %28 = stablehlo.reshape %27 : (tensor<i32>) -> tensor<1xi32>
    %29 = stablehlo.concatenate %28, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %30 = stablehlo.dynamic_broadcast_in_dim %22, %29, dims = [0, 1] : (tensor<?x1xi1>, tensor<2xi32>) -> tensor<?x3xi1>
    %31 = stablehlo.select %30, %14#1, %26 : tensor<?x3xi1>, tensor<?x3xf32>
    %32 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %33 = stablehlo.reshape %32 : (tensor<i32>) -> tensor<1xi32>
    %34 = stablehlo.concatenate %33, %c, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %35 = stablehlo.dynamic_broadcast_in_dim %18, %34, dims = [0] : (tensor<?xi1>, tensor<3xi32>) -> tensor<?x1x1xi1>
    %36 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %37 = stablehlo.reshape %36 : (tensor<i32>) -> tensor<1xi32>
    %38 = stablehlo.concatenate %37, %c_2, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %39 = stablehlo.dynamic_broadcast_in_dim %cst, %38, dims = [] : (tensor<f32>, tensor<3xi32>) -> tensor<?x5x3xf32>
    %40 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %41 = stablehlo.reshape %40 : (tensor<i32>) -> tensor<1xi32>
    %42 = stablehlo.concatenate %41, %c_2, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %43 = stablehlo.dynamic_broadcast_in_dim %35, %42, dims = [0, 1, 2] : (tensor<?x1x1xi1>, tensor<3xi32>) -> tensor<?x5x3xi1>
    %44 = stablehlo.select %43, %14#2, %39 : tensor<?x5x3xi1>, tensor<?x5x3xf32>
    %45 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %46 = stablehlo.reshape %45 : (tensor<i32>) -> tensor<1xi32>
    %47 = stablehlo.concatenate %46, %c, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %48 = stablehlo.dynamic_broadcast_in_dim %18, %47, dims = [0] : (tensor<?xi1>, tensor<3xi32>) -> tensor<?x1x1xi1>
    %49 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %50 = stablehlo.reshape %49 : (tensor<i32>) -> tensor<1xi32>
    %51 = stablehlo.concatenate %50, %c_1, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %52 = stablehlo.dynamic_broadcast_in_dim %cst, %51, dims = [] : (tensor<f32>, tensor<3xi32>) -> tensor<?x3x3xf32>
    %53 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %54 = stablehlo.reshape %53 : (tensor<i32>) -> tensor<1xi32>
    %55 = stablehlo.concatenate %54, %c_1, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %56 = stablehlo.dynamic_broadcast_in_dim %48, %55, dims = [0, 1, 2] : (tensor<?x1x1xi1>, tensor<3xi32>) -> tensor<?x3x3xi1>
    %57 = stablehlo.select %56, %14#3, %52 : tensor<?x3x3xi1>, tensor<?x3x3xf32>
    return %44, %31, %57 : tensor<?x5x3xf32>, tensor<?x3xf32>, tensor<?x3x3xf32>
  }
}
