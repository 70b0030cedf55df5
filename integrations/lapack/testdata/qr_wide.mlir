module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf64>) -> (tensor<4x6xf64> {jax.result_info = "result[0]"}, tensor<4x6xf64> {jax.result_info = "result[1]"}, tensor<4x4xf64> {jax.result_info = "result[2]"}) {
    %0:2 = call @qr(%arg0) : (tensor<4x6xf64>) -> (tensor<4x4xf64>, tensor<4x6xf64>)
    %1 = stablehlo.dot_general %0#0, %0#1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf64>, tensor<4x6xf64>) -> tensor<4x6xf64>
    %2 = stablehlo.abs %0#1 : tensor<4x6xf64>
    %3 = stablehlo.transpose %0#0, dims = [1, 0] : (tensor<4x4xf64>) -> tensor<4x4xf64>
    %4 = stablehlo.dot_general %3, %0#0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
    return %1, %2, %4 : tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x4xf64>
  }
  func.func private @qr(%arg0: tensor<4x6xf64>) -> (tensor<4x4xf64>, tensor<4x6xf64>) {
    %0:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m]) {i=4, j=6, k=4, l=6, m=4}, custom>} : (tensor<4x6xf64>) -> (tensor<4x6xf64>, tensor<4xf64>)
    %1 = stablehlo.slice %0#0 [0:4, 0:4] : (tensor<4x6xf64>) -> tensor<4x4xf64>
    %2 = stablehlo.custom_call @lapack_dorgqr_ffi(%1, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([l, m]) {i=4, j=4, k=4, l=4, m=4}, custom>} : (tensor<4x4xf64>, tensor<4xf64>) -> tensor<4x4xf64>
    %3 = stablehlo.iota dim = 0 : tensor<4x6xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
    %5 = stablehlo.add %3, %4 : tensor<4x6xi64>
    %6 = stablehlo.iota dim = 1 : tensor<4x6xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x6xf64>
    %9 = stablehlo.select %7, %8, %0#0 : tensor<4x6xi1>, tensor<4x6xf64>
    return %2, %9 : tensor<4x4xf64>, tensor<4x6xf64>
  }
}
