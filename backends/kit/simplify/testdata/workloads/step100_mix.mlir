module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<8x8xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<8x8xf32>
    %2 = stablehlo.constant dense<0.000000e+00> : tensor<8x8xf32>
    %3 = stablehlo.maximum %1, %2 : tensor<8x8xf32>
    %4 = stablehlo.dot_general %3, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %5 = stablehlo.add %4, %arg1 : tensor<8x8xf32>
    %6 = stablehlo.multiply %5, %arg1 : tensor<8x8xf32>
    %7 = stablehlo.maximum %6, %2 : tensor<8x8xf32>
    %8 = stablehlo.dot_general %7, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %9 = stablehlo.add %8, %arg1 : tensor<8x8xf32>
    %10 = stablehlo.multiply %9, %arg1 : tensor<8x8xf32>
    %11 = stablehlo.maximum %10, %2 : tensor<8x8xf32>
    %12 = stablehlo.dot_general %11, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %13 = stablehlo.add %12, %arg1 : tensor<8x8xf32>
    %14 = stablehlo.multiply %13, %arg1 : tensor<8x8xf32>
    %15 = stablehlo.maximum %14, %2 : tensor<8x8xf32>
    %16 = stablehlo.dot_general %15, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %17 = stablehlo.add %16, %arg1 : tensor<8x8xf32>
    %18 = stablehlo.multiply %17, %arg1 : tensor<8x8xf32>
    %19 = stablehlo.maximum %18, %2 : tensor<8x8xf32>
    %20 = stablehlo.dot_general %19, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %21 = stablehlo.add %20, %arg1 : tensor<8x8xf32>
    %22 = stablehlo.multiply %21, %arg1 : tensor<8x8xf32>
    %23 = stablehlo.maximum %22, %2 : tensor<8x8xf32>
    %24 = stablehlo.dot_general %23, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %25 = stablehlo.add %24, %arg1 : tensor<8x8xf32>
    %26 = stablehlo.multiply %25, %arg1 : tensor<8x8xf32>
    %27 = stablehlo.maximum %26, %2 : tensor<8x8xf32>
    %28 = stablehlo.dot_general %27, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %29 = stablehlo.add %28, %arg1 : tensor<8x8xf32>
    %30 = stablehlo.multiply %29, %arg1 : tensor<8x8xf32>
    %31 = stablehlo.maximum %30, %2 : tensor<8x8xf32>
    %32 = stablehlo.dot_general %31, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %33 = stablehlo.add %32, %arg1 : tensor<8x8xf32>
    %34 = stablehlo.multiply %33, %arg1 : tensor<8x8xf32>
    %35 = stablehlo.maximum %34, %2 : tensor<8x8xf32>
    %36 = stablehlo.dot_general %35, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %37 = stablehlo.add %36, %arg1 : tensor<8x8xf32>
    %38 = stablehlo.multiply %37, %arg1 : tensor<8x8xf32>
    %39 = stablehlo.maximum %38, %2 : tensor<8x8xf32>
    %40 = stablehlo.dot_general %39, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %41 = stablehlo.add %40, %arg1 : tensor<8x8xf32>
    %42 = stablehlo.multiply %41, %arg1 : tensor<8x8xf32>
    %43 = stablehlo.maximum %42, %2 : tensor<8x8xf32>
    %44 = stablehlo.dot_general %43, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %45 = stablehlo.add %44, %arg1 : tensor<8x8xf32>
    %46 = stablehlo.multiply %45, %arg1 : tensor<8x8xf32>
    %47 = stablehlo.maximum %46, %2 : tensor<8x8xf32>
    %48 = stablehlo.dot_general %47, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %49 = stablehlo.add %48, %arg1 : tensor<8x8xf32>
    %50 = stablehlo.multiply %49, %arg1 : tensor<8x8xf32>
    %51 = stablehlo.maximum %50, %2 : tensor<8x8xf32>
    %52 = stablehlo.dot_general %51, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %53 = stablehlo.add %52, %arg1 : tensor<8x8xf32>
    %54 = stablehlo.multiply %53, %arg1 : tensor<8x8xf32>
    %55 = stablehlo.maximum %54, %2 : tensor<8x8xf32>
    %56 = stablehlo.dot_general %55, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %57 = stablehlo.add %56, %arg1 : tensor<8x8xf32>
    %58 = stablehlo.multiply %57, %arg1 : tensor<8x8xf32>
    %59 = stablehlo.maximum %58, %2 : tensor<8x8xf32>
    %60 = stablehlo.dot_general %59, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %61 = stablehlo.add %60, %arg1 : tensor<8x8xf32>
    %62 = stablehlo.multiply %61, %arg1 : tensor<8x8xf32>
    %63 = stablehlo.maximum %62, %2 : tensor<8x8xf32>
    %64 = stablehlo.dot_general %63, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %65 = stablehlo.add %64, %arg1 : tensor<8x8xf32>
    %66 = stablehlo.multiply %65, %arg1 : tensor<8x8xf32>
    %67 = stablehlo.maximum %66, %2 : tensor<8x8xf32>
    %68 = stablehlo.dot_general %67, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %69 = stablehlo.add %68, %arg1 : tensor<8x8xf32>
    %70 = stablehlo.multiply %69, %arg1 : tensor<8x8xf32>
    %71 = stablehlo.maximum %70, %2 : tensor<8x8xf32>
    %72 = stablehlo.dot_general %71, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %73 = stablehlo.add %72, %arg1 : tensor<8x8xf32>
    %74 = stablehlo.multiply %73, %arg1 : tensor<8x8xf32>
    %75 = stablehlo.maximum %74, %2 : tensor<8x8xf32>
    %76 = stablehlo.dot_general %75, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %77 = stablehlo.add %76, %arg1 : tensor<8x8xf32>
    %78 = stablehlo.multiply %77, %arg1 : tensor<8x8xf32>
    %79 = stablehlo.maximum %78, %2 : tensor<8x8xf32>
    %80 = stablehlo.dot_general %79, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %81 = stablehlo.add %80, %arg1 : tensor<8x8xf32>
    %82 = stablehlo.multiply %81, %arg1 : tensor<8x8xf32>
    %83 = stablehlo.maximum %82, %2 : tensor<8x8xf32>
    %84 = stablehlo.dot_general %83, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %85 = stablehlo.add %84, %arg1 : tensor<8x8xf32>
    %86 = stablehlo.multiply %85, %arg1 : tensor<8x8xf32>
    %87 = stablehlo.maximum %86, %2 : tensor<8x8xf32>
    %88 = stablehlo.dot_general %87, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %89 = stablehlo.add %88, %arg1 : tensor<8x8xf32>
    %90 = stablehlo.multiply %89, %arg1 : tensor<8x8xf32>
    %91 = stablehlo.maximum %90, %2 : tensor<8x8xf32>
    %92 = stablehlo.dot_general %91, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %93 = stablehlo.add %92, %arg1 : tensor<8x8xf32>
    %94 = stablehlo.multiply %93, %arg1 : tensor<8x8xf32>
    %95 = stablehlo.maximum %94, %2 : tensor<8x8xf32>
    %96 = stablehlo.dot_general %95, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %97 = stablehlo.add %96, %arg1 : tensor<8x8xf32>
    %98 = stablehlo.multiply %97, %arg1 : tensor<8x8xf32>
    %99 = stablehlo.maximum %98, %2 : tensor<8x8xf32>
    %100 = stablehlo.dot_general %99, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %100 : tensor<8x8xf32>
  }
}
