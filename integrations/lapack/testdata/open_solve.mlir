module @jit_solve attributes {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<?x4x4xf32>, %arg1: tensor<?x4x2xf32>) -> (tensor<?x4x2xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x4x4xf32>) -> tensor<i32>
    %1 = stablehlo.convert %0 : (tensor<i32>) -> tensor<i64>
    %2 = stablehlo.get_dimension_size %arg1, dim = 0 : (tensor<?x4x2xf32>) -> tensor<i32>
    %3 = stablehlo.convert %2 : (tensor<i32>) -> tensor<i64>
    %4 = stablehlo.compare GE, %1, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%4, %1) {api_version = 2 : i32, error_message = "Input shapes do not match the polymorphic shapes specification. Expected value >= 1 for dimension variable 'b'. Using the following polymorphic shapes specifications: args[0].shape = (b, 4, 4),args[1].shape = (b, 4, 2). Obtained dimension variables: 'b' = {0} from specification 'b' for dimension args[0].shape[0] (= {0}), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details.", has_side_effect = true} : (tensor<i1>, tensor<i64>) -> ()
    %5 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%5, %3, %1) {api_version = 2 : i32, error_message = "Input shapes do not match the polymorphic shapes specification. Found inconsistency between dimension size args[1].shape[0] (= {0}) and the specification 'b' (= {1}). Using the following polymorphic shapes specifications: args[0].shape = (b, 4, 4),args[1].shape = (b, 4, 2). Obtained dimension variables: 'b' = {1} from specification 'b' for dimension args[0].shape[0] (= {1}), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details.", has_side_effect = true} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %6 = call @_wrapped_jax_export_main(%1, %arg0, %arg1) : (tensor<i64>, tensor<?x4x4xf32>, tensor<?x4x2xf32>) -> tensor<?x4x2xf32>
    return %6 : tensor<?x4x2xf32>
  }
  func.func private @_wrapped_jax_export_main(%arg0: tensor<i64> {jax.global_constant = "b"}, %arg1: tensor<?x4x4xf32>, %arg2: tensor<?x4x2xf32>) -> (tensor<?x4x2xf32> {jax.result_info = "result"}) {
    %0 = call @solve(%arg0, %arg1, %arg2) : (tensor<i64>, tensor<?x4x4xf32>, tensor<?x4x2xf32>) -> tensor<?x4x2xf32>
    return %0 : tensor<?x4x2xf32>
  }
  func.func private @solve(%arg0: tensor<i64> {jax.global_constant = "b"}, %arg1: tensor<?x4x4xf32>, %arg2: tensor<?x4x2xf32>) -> tensor<?x4x2xf32> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c_0 = stablehlo.constant dense<1> : tensor<1xi32>
    %c_1 = stablehlo.constant dense<1> : tensor<i64>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %c_4 = stablehlo.constant dense<4> : tensor<1xi32>
    %c_5 = stablehlo.constant dense<4> : tensor<i64>
    %0 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.concatenate %1, %c_4, %c_4, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %3 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %4 = stablehlo.reshape %3 : (tensor<i32>) -> tensor<1xi32>
    %5 = stablehlo.concatenate %4, %c_4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %6 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %7 = stablehlo.reshape %6 : (tensor<i32>) -> tensor<1xi32>
    %8:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%arg1, %2, %5, %7) {indices_of_shape_operands = dense<[1, 2, 3]> : tensor<3xi64>, mhlo.backend_config = {}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<?x4x4xf32>, tensor<3xi32>, tensor<2xi32>, tensor<1xi32>) -> (tensor<?x4x4xf32>, tensor<?x4xi32>, tensor<?xi32>)
    %9 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %10 = stablehlo.reshape %9 : (tensor<i32>) -> tensor<1xi32>
    %11 = stablehlo.concatenate %10, %c_4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %12 = stablehlo.dynamic_broadcast_in_dim %c_3, %11, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<?x4xi32>
    %13 = stablehlo.subtract %8#1, %12 : tensor<?x4xi32>
    %14 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %15 = stablehlo.reshape %14 : (tensor<i32>) -> tensor<1xi32>
    %16 = stablehlo.dynamic_broadcast_in_dim %c_2, %15, dims = [] : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %17 = stablehlo.compare GE, %8#2, %16, SIGNED : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi1>
    %18 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %19 = stablehlo.reshape %18 : (tensor<i32>) -> tensor<1xi32>
    %20 = stablehlo.concatenate %19, %c_0, %c_0, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %21 = stablehlo.dynamic_broadcast_in_dim %17, %20, dims = [0] : (tensor<?xi1>, tensor<3xi32>) -> tensor<?x1x1xi1>
    %22 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %23 = stablehlo.reshape %22 : (tensor<i32>) -> tensor<1xi32>
    %24 = stablehlo.concatenate %23, %c_4, %c_4, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %25 = stablehlo.dynamic_broadcast_in_dim %cst, %24, dims = [] : (tensor<f32>, tensor<3xi32>) -> tensor<?x4x4xf32>
    %26 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %27 = stablehlo.reshape %26 : (tensor<i32>) -> tensor<1xi32>
    %28 = stablehlo.concatenate %27, %c_4, %c_4, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %29 = stablehlo.dynamic_broadcast_in_dim %21, %28, dims = [0, 1, 2] : (tensor<?x1x1xi1>, tensor<3xi32>) -> tensor<?x4x4xi1>
    %30 = stablehlo.select %29, %8#0, %25 : tensor<?x4x4xi1>, tensor<?x4x4xf32>
    %31 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %32 = stablehlo.reshape %31 : (tensor<i32>) -> tensor<1xi32>
    %33 = stablehlo.concatenate %32, %c_4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %34 = stablehlo.dynamic_iota %33, dim = 1 : (tensor<2xi32>) -> tensor<?x4xi32>
    %35:4 = stablehlo.while(%iterArg = %13, %iterArg_6 = %c, %iterArg_7 = %c, %iterArg_8 = %34) : tensor<?x4xi32>, tensor<i64>, tensor<i64>, tensor<?x4xi32>
    cond {
      %39 = stablehlo.compare LT, %iterArg_6, %c_5, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %39 : tensor<i1>
    } do {
      %39:2 = func.call @closed_call(%arg0, %iterArg, %iterArg_7, %iterArg_8) : (tensor<i64>, tensor<?x4xi32>, tensor<i64>, tensor<?x4xi32>) -> (tensor<i64>, tensor<?x4xi32>)
      %40 = stablehlo.add %iterArg_6, %c_1 : tensor<i64>
      stablehlo.return %iterArg, %40, %39#0, %39#1 : tensor<?x4xi32>, tensor<i64>, tensor<i64>, tensor<?x4xi32>
    }
    %36 = stablehlo.transpose %arg2, dims = [0, 2, 1] : (tensor<?x4x2xf32>) -> tensor<?x2x4xf32>
    %37 = call @_lu_solve(%arg0, %30, %35#3, %36) : (tensor<i64>, tensor<?x4x4xf32>, tensor<?x4xi32>, tensor<?x2x4xf32>) -> tensor<?x2x4xf32>
    %38 = stablehlo.transpose %37, dims = [0, 2, 1] : (tensor<?x2x4xf32>) -> tensor<?x4x2xf32>
    return %38 : tensor<?x4x2xf32>
  }
  func.func private @closed_call(%arg0: tensor<i64> {jax.global_constant = "b"}, %arg1: tensor<?x4xi32>, %arg2: tensor<i64>, %arg3: tensor<?x4xi32>) -> (tensor<i64>, tensor<?x4xi32>) {
    %c = stablehlo.constant dense<4> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<4> : tensor<i64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %c_4 = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg2, %c_4 : tensor<i64>
    %1 = stablehlo.compare LT, %arg2, %c_3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %2 = stablehlo.convert %arg2 : tensor<i64>
    %3 = stablehlo.add %2, %c_2 : tensor<i64>
    %4 = stablehlo.select %1, %3, %arg2 : tensor<i1>, tensor<i64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<1xi64>
    %6 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %7 = stablehlo.reshape %6 : (tensor<i32>) -> tensor<1xi32>
    %8 = stablehlo.concatenate %7, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %9 = "stablehlo.dynamic_gather"(%arg1, %5, %8) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true}> : (tensor<?x4xi32>, tensor<1xi64>, tensor<2xi32>) -> tensor<?x1xi32>
    %10 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %11 = stablehlo.reshape %10 : (tensor<i32>) -> tensor<1xi32>
    %12 = stablehlo.dynamic_reshape %9, %11 : (tensor<?x1xi32>, tensor<1xi32>) -> tensor<?xi32>
    %13 = stablehlo.compare LT, %arg2, %c_3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %14 = stablehlo.convert %arg2 : tensor<i64>
    %15 = stablehlo.add %14, %c_2 : tensor<i64>
    %16 = stablehlo.select %13, %15, %arg2 : tensor<i1>, tensor<i64>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<i64>) -> tensor<1xi64>
    %18 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %19 = stablehlo.reshape %18 : (tensor<i32>) -> tensor<1xi32>
    %20 = stablehlo.concatenate %19, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %21 = "stablehlo.dynamic_gather"(%arg3, %17, %20) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true}> : (tensor<?x4xi32>, tensor<1xi64>, tensor<2xi32>) -> tensor<?x1xi32>
    %22 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %23 = stablehlo.reshape %22 : (tensor<i32>) -> tensor<1xi32>
    %24 = stablehlo.dynamic_reshape %21, %23 : (tensor<?x1xi32>, tensor<1xi32>) -> tensor<?xi32>
    %25 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %26 = stablehlo.reshape %25 : (tensor<i32>) -> tensor<1xi32>
    %27 = stablehlo.dynamic_broadcast_in_dim %c_0, %26, dims = [] : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %28 = stablehlo.compare LT, %12, %27, SIGNED : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi1>
    %29 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %30 = stablehlo.reshape %29 : (tensor<i32>) -> tensor<1xi32>
    %31 = stablehlo.dynamic_broadcast_in_dim %c, %30, dims = [] : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %32 = stablehlo.add %12, %31 : tensor<?xi32>
    %33 = stablehlo.select %28, %32, %12 : tensor<?xi1>, tensor<?xi32>
    %34 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %35 = stablehlo.reshape %34 : (tensor<i32>) -> tensor<1xi32>
    %36 = stablehlo.concatenate %35, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %37 = stablehlo.dynamic_broadcast_in_dim %33, %36, dims = [0] : (tensor<?xi32>, tensor<2xi32>) -> tensor<?x1xi32>
    %38 = "stablehlo.gather"(%arg3, %37) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1>}> : (tensor<?x4xi32>, tensor<?x1xi32>) -> tensor<?x1xi32>
    %39 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %40 = stablehlo.reshape %39 : (tensor<i32>) -> tensor<1xi32>
    %41 = stablehlo.dynamic_reshape %38, %40 : (tensor<?x1xi32>, tensor<1xi32>) -> tensor<?xi32>
    %42 = stablehlo.compare LT, %arg2, %c_3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %43 = stablehlo.add %arg2, %c_2 : tensor<i64>
    %44 = stablehlo.select %42, %43, %arg2 : tensor<i1>, tensor<i64>
    %45 = stablehlo.convert %44 : (tensor<i64>) -> tensor<i32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %47 = "stablehlo.scatter"(%arg3, %46, %41) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = true}> ({
    ^bb0(%arg4: tensor<i32>, %arg5: tensor<i32>):
      stablehlo.return %arg5 : tensor<i32>
    }) : (tensor<?x4xi32>, tensor<1xi32>, tensor<?xi32>) -> tensor<?x4xi32>
    %48 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %49 = stablehlo.reshape %48 : (tensor<i32>) -> tensor<1xi32>
    %50 = stablehlo.dynamic_broadcast_in_dim %c_0, %49, dims = [] : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %51 = stablehlo.compare LT, %12, %50, SIGNED : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi1>
    %52 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %53 = stablehlo.reshape %52 : (tensor<i32>) -> tensor<1xi32>
    %54 = stablehlo.dynamic_broadcast_in_dim %c, %53, dims = [] : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
    %55 = stablehlo.add %12, %54 : tensor<?xi32>
    %56 = stablehlo.select %51, %55, %12 : tensor<?xi1>, tensor<?xi32>
    %57 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %58 = stablehlo.reshape %57 : (tensor<i32>) -> tensor<1xi32>
    %59 = stablehlo.concatenate %58, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %60 = stablehlo.dynamic_broadcast_in_dim %56, %59, dims = [0] : (tensor<?xi32>, tensor<2xi32>) -> tensor<?x1xi32>
    %61 = "stablehlo.scatter"(%47, %60, %24) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg4: tensor<i32>, %arg5: tensor<i32>):
      stablehlo.return %arg5 : tensor<i32>
    }) : (tensor<?x4xi32>, tensor<?x1xi32>, tensor<?xi32>) -> tensor<?x4xi32>
    return %0, %61 : tensor<i64>, tensor<?x4xi32>
  }
  func.func private @_lu_solve(%arg0: tensor<i64> {jax.global_constant = "b"}, %arg1: tensor<?x4x4xf32>, %arg2: tensor<?x4xi32>, %arg3: tensor<?x2x4xf32>) -> tensor<?x2x4xf32> {
    %c = stablehlo.constant dense<4> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<4> : tensor<1xi32>
    %c_3 = stablehlo.constant dense<2> : tensor<1xi32>
    %0 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.concatenate %1, %c_3, %c_2, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %3 = stablehlo.dynamic_broadcast_in_dim %arg3, %2, dims = [0, 1, 2] : (tensor<?x2x4xf32>, tensor<4xi32>) -> tensor<?x2x4x1xf32>
    %4 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %5 = stablehlo.reshape %4 : (tensor<i32>) -> tensor<1xi32>
    %6 = stablehlo.concatenate %5, %c_2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %7 = stablehlo.dynamic_broadcast_in_dim %c_0, %6, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<?x4xi32>
    %8 = stablehlo.compare LT, %arg2, %7, SIGNED : (tensor<?x4xi32>, tensor<?x4xi32>) -> tensor<?x4xi1>
    %9 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %10 = stablehlo.reshape %9 : (tensor<i32>) -> tensor<1xi32>
    %11 = stablehlo.concatenate %10, %c_2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %12 = stablehlo.dynamic_broadcast_in_dim %c, %11, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<?x4xi32>
    %13 = stablehlo.add %arg2, %12 : tensor<?x4xi32>
    %14 = stablehlo.select %8, %13, %arg2 : tensor<?x4xi1>, tensor<?x4xi32>
    %15 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %16 = stablehlo.reshape %15 : (tensor<i32>) -> tensor<1xi32>
    %17 = stablehlo.concatenate %16, %c_2, %c_1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %18 = stablehlo.dynamic_broadcast_in_dim %14, %17, dims = [0, 1] : (tensor<?x4xi32>, tensor<3xi32>) -> tensor<?x4x1xi32>
    %19 = "stablehlo.gather"(%3, %18) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 3], collapsed_slice_dims = [2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 2, 1, 1>}> : (tensor<?x2x4x1xf32>, tensor<?x4x1xi32>) -> tensor<?x2x4x1xf32>
    %20 = stablehlo.transpose %19, dims = [0, 2, 3, 1] : (tensor<?x2x4x1xf32>) -> tensor<?x4x1x2xf32>
    %21 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %22 = stablehlo.reshape %21 : (tensor<i32>) -> tensor<1xi32>
    %23 = stablehlo.concatenate %22, %c_2, %c_3, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %24 = stablehlo.dynamic_reshape %20, %23 : (tensor<?x4x1x2xf32>, tensor<3xi32>) -> tensor<?x4x2xf32>
    %25 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %26 = stablehlo.reshape %25 : (tensor<i32>) -> tensor<1xi32>
    %27 = stablehlo.concatenate %26, %c_2, %c_3, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %28 = stablehlo.custom_call @lapack_strsm_ffi(%arg1, %24, %27) {indices_of_shape_operands = dense<2> : tensor<1xi64>, mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]} : (tensor<?x4x4xf32>, tensor<?x4x2xf32>, tensor<3xi32>) -> tensor<?x4x2xf32>
    %29 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %30 = stablehlo.reshape %29 : (tensor<i32>) -> tensor<1xi32>
    %31 = stablehlo.concatenate %30, %c_2, %c_1, %c_3, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %32 = stablehlo.dynamic_reshape %28, %31 : (tensor<?x4x2xf32>, tensor<4xi32>) -> tensor<?x4x1x2xf32>
    %33 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %34 = stablehlo.reshape %33 : (tensor<i32>) -> tensor<1xi32>
    %35 = stablehlo.concatenate %34, %c_2, %c_3, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %36 = stablehlo.dynamic_reshape %32, %35 : (tensor<?x4x1x2xf32>, tensor<3xi32>) -> tensor<?x4x2xf32>
    %37 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %38 = stablehlo.reshape %37 : (tensor<i32>) -> tensor<1xi32>
    %39 = stablehlo.concatenate %38, %c_2, %c_3, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %40 = stablehlo.custom_call @lapack_strsm_ffi(%arg1, %36, %39) {indices_of_shape_operands = dense<2> : tensor<1xi64>, mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]} : (tensor<?x4x4xf32>, tensor<?x4x2xf32>, tensor<3xi32>) -> tensor<?x4x2xf32>
    %41 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %42 = stablehlo.reshape %41 : (tensor<i32>) -> tensor<1xi32>
    %43 = stablehlo.concatenate %42, %c_2, %c_1, %c_3, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %44 = stablehlo.dynamic_reshape %40, %43 : (tensor<?x4x2xf32>, tensor<4xi32>) -> tensor<?x4x1x2xf32>
    %45 = stablehlo.transpose %44, dims = [0, 3, 1, 2] : (tensor<?x4x1x2xf32>) -> tensor<?x2x4x1xf32>
    %46 = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
    %47 = stablehlo.reshape %46 : (tensor<i32>) -> tensor<1xi32>
    %48 = stablehlo.concatenate %47, %c_3, %c_2, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %49 = stablehlo.dynamic_reshape %45, %48 : (tensor<?x2x4x1xf32>, tensor<3xi32>) -> tensor<?x2x4xf32>
    return %49 : tensor<?x2x4xf32>
  }
}
