module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x6x4xf32>) -> (tensor<3x6x4xf32> {jax.result_info = "result[0]"}, tensor<3x4x4xf32> {jax.result_info = "result[1]"}, tensor<3x4x4xf32> {jax.result_info = "result[2]"}) {
    %0:2 = call @qr(%arg0) : (tensor<3x6x4xf32>) -> (tensor<3x6x4xf32>, tensor<3x4x4xf32>)
    %1 = stablehlo.dot_general %0#0, %0#1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x6x4xf32>, tensor<3x4x4xf32>) -> tensor<3x6x4xf32>
    %2 = stablehlo.abs %0#1 : tensor<3x4x4xf32>
    %3 = stablehlo.transpose %0#0, dims = [0, 2, 1] : (tensor<3x6x4xf32>) -> tensor<3x4x6xf32>
    %4 = stablehlo.dot_general %3, %0#0, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x4x6xf32>, tensor<3x6x4xf32>) -> tensor<3x4x4xf32>
    return %1, %2, %4 : tensor<3x6x4xf32>, tensor<3x4x4xf32>, tensor<3x4x4xf32>
  }
  func.func private @qr(%arg0: tensor<3x6x4xf32>) -> (tensor<3x6x4xf32>, tensor<3x4x4xf32>) {
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n]) {i=3, j=6, k=4, l=6, m=4, n=4}, custom>} : (tensor<3x6x4xf32>) -> (tensor<3x6x4xf32>, tensor<3x4xf32>)
    %1 = stablehlo.custom_call @lapack_sorgqr_ffi(%0#0, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, m, n]) {i=3, j=6, k=4, l=4, m=6, n=4}, custom>} : (tensor<3x6x4xf32>, tensor<3x4xf32>) -> tensor<3x6x4xf32>
    %2 = stablehlo.slice %0#0 [0:3, 0:4, 0:4] : (tensor<3x6x4xf32>) -> tensor<3x4x4xf32>
    %3 = stablehlo.iota dim = 0 : tensor<4x4xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x4xi64>
    %5 = stablehlo.add %3, %4 : tensor<4x4xi64>
    %6 = stablehlo.iota dim = 1 : tensor<4x4xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<4x4xi1>) -> tensor<3x4x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x4x4xf32>
    %10 = stablehlo.select %8, %9, %2 : tensor<3x4x4xi1>, tensor<3x4x4xf32>
    return %1, %10 : tensor<3x6x4xf32>, tensor<3x4x4xf32>
  }
}
