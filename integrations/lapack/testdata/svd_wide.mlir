module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x8xf64>) -> (tensor<3xf64> {jax.result_info = "result[0]"}, tensor<3x8xf64> {jax.result_info = "result[1]"}, tensor<3x3xf64> {jax.result_info = "result[2]"}, tensor<3x3xf64> {jax.result_info = "result[3]"}) {
    %0:3 = call @svd(%arg0) : (tensor<3x8xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<3x8xf64>)
    %1 = stablehlo.broadcast_in_dim %0#1, dims = [1] : (tensor<3xf64>) -> tensor<1x3xf64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x3xf64>) -> tensor<3x3xf64>
    %3 = stablehlo.multiply %0#0, %2 : tensor<3x3xf64>
    %4 = stablehlo.dot_general %3, %0#2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x3xf64>, tensor<3x8xf64>) -> tensor<3x8xf64>
    %5 = stablehlo.transpose %0#0, dims = [1, 0] : (tensor<3x3xf64>) -> tensor<3x3xf64>
    %6 = stablehlo.dot_general %5, %0#0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
    %7 = stablehlo.transpose %0#2, dims = [1, 0] : (tensor<3x8xf64>) -> tensor<8x3xf64>
    %8 = stablehlo.dot_general %0#2, %7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x8xf64>, tensor<8x3xf64>) -> tensor<3x3xf64>
    return %0#1, %4, %6, %8 : tensor<3xf64>, tensor<3x8xf64>, tensor<3x3xf64>, tensor<3x3xf64>
  }
  func.func private @svd(%arg0: tensor<3x8xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<3x8xf64>) {
    %0:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=3, j=8, k=3, l=8, m=3, n=3, o=3, p=3, q=8}, custom>} : (tensor<3x8xf64>) -> (tensor<3x8xf64>, tensor<3xf64>, tensor<3x3xf64>, tensor<3x8xf64>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<3xi1>, tensor<3xf64>
    %7 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<3x3xi1>, tensor<3x3xf64>
    %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<3x8xf64>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x8xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<3x8xi1>, tensor<3x8xf64>
    return %10, %6, %14 : tensor<3x3xf64>, tensor<3xf64>, tensor<3x8xf64>
  }
}
