package viewtest

import "strings"

// elementwise multiplies two arguments and adds one.
func elementwise(shape ...int) string {
	return strings.ReplaceAll(`func.func @main(%x: T, %y: T, %z: T) -> T {
  %0 = stablehlo.multiply %x, %y : T
  %1 = stablehlo.add %0, %z : T
  return %1 : T
}`, "T", tensor(shape...))
}

// layer is a dense layer of n rows of k columns with h results, and what the two
// after it make: its sums, and columns of its own.
func layer(n, k, h string) string {
	return strings.NewReplacer("N", n, "K", k, "H", h).Replace(`func.func @main(%x: tensor<NxKxf32>, %w: tensor<KxHxf32>, %b: tensor<Hxf32>) -> (tensor<NxHxf32>, tensor<Nx1xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %zs = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<NxHxf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<NxKxf32>, tensor<KxHxf32>) -> tensor<NxHxf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<Hxf32>) -> tensor<NxHxf32>
  %2 = stablehlo.add %0, %1 : tensor<NxHxf32>
  %3 = stablehlo.maximum %2, %zs : tensor<NxHxf32>
  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<NxHxf32>, tensor<f32>) -> tensor<Nxf32>
  %5 = stablehlo.reshape %4 : (tensor<Nxf32>) -> tensor<Nx1xf32>
  return %3, %5 : tensor<NxHxf32>, tensor<Nx1xf32>
}`)
}

// network is two dense layers of n rows of k columns, with h columns between them
// and o results.
func network(n, k, h, o string) string {
	return strings.NewReplacer("N", n, "K", k, "H", h, "O", o).Replace(`func.func @main(%x: tensor<NxKxf32>, %w: tensor<KxHxf32>, %b: tensor<Hxf32>, %v: tensor<HxOxf32>) -> tensor<NxOxf32> {
  %z = stablehlo.constant dense<0.0> : tensor<NxHxf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<NxKxf32>, tensor<KxHxf32>) -> tensor<NxHxf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<Hxf32>) -> tensor<NxHxf32>
  %2 = stablehlo.add %0, %1 : tensor<NxHxf32>
  %3 = stablehlo.maximum %2, %z : tensor<NxHxf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<NxHxf32>, tensor<HxOxf32>) -> tensor<NxOxf32>
  return %4 : tensor<NxOxf32>
}`)
}

// scaled is a product of a matrix's positive elements with another, whose columns
// have scales: both are computed where they are multiplied.
func scaled(n, k, h string) string {
	return strings.NewReplacer("N", n, "K", k, "H", h).Replace(`func.func @main(%x: tensor<NxKxf32>, %w: tensor<KxHxf32>, %s: tensor<Hxf32>) -> tensor<NxHxf32> {
  %z = stablehlo.constant dense<0.0> : tensor<NxKxf32>
  %0 = stablehlo.maximum %x, %z : tensor<NxKxf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<Hxf32>) -> tensor<KxHxf32>
  %2 = stablehlo.multiply %w, %1 : tensor<KxHxf32>
  %3 = stablehlo.dot_general %0, %2, contracting_dims = [1] x [0] : (tensor<NxKxf32>, tensor<KxHxf32>) -> tensor<NxHxf32>
  return %3 : tensor<NxHxf32>
}`)
}

// softmax is of rows; the second result their means.
const softmax = `func.func @main(%x: tensor<70x6xf32>) -> (tensor<70x6xf32>, tensor<70xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %m) applies stablehlo.maximum across dimensions = [1] : (tensor<70x6xf32>, tensor<f32>) -> tensor<70xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<70xf32>) -> tensor<70x6xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<70x6xf32>
  %3 = stablehlo.exponential %2 : tensor<70x6xf32>
  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<70x6xf32>, tensor<f32>) -> tensor<70xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<70xf32>) -> tensor<70x6xf32>
  %6 = stablehlo.divide %3, %5 : tensor<70x6xf32>
  return %6, %4 : tensor<70x6xf32>, tensor<70xf32>
}`

// moves slices, reverses, transposes and joins columns.
const moves = `func.func @main(%x: tensor<40x6xf32>, %y: tensor<40x2xf32>) -> (tensor<6x40xf32>, tensor<40x4xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<40x6xf32>) -> tensor<6x40xf32>
  %1 = stablehlo.slice %x [0:40, 1:6:4] : (tensor<40x6xf32>) -> tensor<40x2xf32>
  %2 = stablehlo.reverse %y, dims = [0] : tensor<40x2xf32>
  %3 = stablehlo.concatenate %1, %2, dim = 1 : (tensor<40x2xf32>, tensor<40x2xf32>) -> tensor<40x4xf32>
  return %0, %3 : tensor<6x40xf32>, tensor<40x4xf32>
}`

// mask multiplies vectors (n, 3, 2), scalars and flags, and takes sums.
const mask = `func.func @main(%v: tensor<50x3x2xf32>, %s: tensor<50x1xf32>, %e: tensor<50x1xf32>) -> (tensor<50x2xf32>, tensor<50x3x2xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reshape %s : (tensor<50x1xf32>) -> tensor<50xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<50xf32>) -> tensor<50x3x2xf32>
  %2 = stablehlo.broadcast_in_dim %e, dims = [0, 1] : (tensor<50x1xf32>) -> tensor<50x3x2xf32>
  %3 = stablehlo.multiply %v, %1 : tensor<50x3x2xf32>
  %4 = stablehlo.add %3, %2 : tensor<50x3x2xf32>
  %5 = stablehlo.reduce(%4 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<50x3x2xf32>, tensor<f32>) -> tensor<50x2xf32>
  return %5, %4 : tensor<50x2xf32>, tensor<50x3x2xf32>
}`

// chosen gathers rows by number.
const chosen = `func.func @main(%x: tensor<30x4xf32>, %y: tensor<30x4xf32>) -> tensor<3x4xf32> {
  %i = stablehlo.constant dense<[[7], [0], [29]]> : tensor<3x1xi64>
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<30x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  %1 = stablehlo.slice %y [3:6, 0:4] : (tensor<30x4xf32>) -> tensor<3x4xf32>
  %2 = stablehlo.add %0, %1 : tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}`

// programs cover what a layout, and any set of its columns, gives.
var programs = []program{
	{"adjacent columns", elementwise(100, 3), []lie{columns(100, 3), columns(100, 3), rowsOf(100, 3)}, []lie{columns(100, 3)}},
	{"gathered columns", elementwise(100, 4), []lie{gathered(100, 4), columns(100, 4).odd(), gathered(100, 4).odd()}, []lie{gathered(100, 4).odd()}},
	{"repeated", elementwise(65, 2), []lie{{shape: []int{65, 2}, strides: []int{0, 0}}, {shape: []int{65, 2}, strides: []int{0, 1}}, columns(65, 2)}, []lie{rowsOf(65, 2)}},
	{"records", elementwise(65, 2), []lie{{shape: []int{65, 2}, strides: []int{5, 1}}, {shape: []int{65, 2}, strides: []int{7, 3}}, columns(65, 2)}, []lie{{shape: []int{65, 2}, strides: []int{6, 2}}}},
	{"records of 3 and 4", elementwise(83, 3), []lie{records(83, 3, 4), records(83, 3, 3), columns(83, 3)}, []lie{records(83, 3, 4)}},
	{"records of 7 from columns", elementwise(49, 7), []lie{columns(49, 7), gathered(49, 7), rowsOf(49, 7)}, []lie{records(49, 7, 9).odd()}},
	{"records of 13 to columns", elementwise(70, 13), []lie{records(70, 13, 14).odd(), rowsOf(70, 13), columns(70, 13)}, []lie{gathered(70, 13)}},
	{"columns to rows", elementwise(100, 6), []lie{columns(100, 6), gathered(100, 6), columns(100, 6)}, []lie{rowsOf(100, 6)}},
	{"every other field", elementwise(50, 4), []lie{{shape: []int{50, 4}, strides: []int{9, 2}}, records(50, 4, 5), rowsOf(50, 4)}, []lie{{shape: []int{50, 4}, strides: []int{11, 2}}}},
	{"records, last first", elementwise(50, 5), []lie{{shape: []int{50, 5}, strides: []int{-6, 1}}, records(50, 5, 8), rowsOf(50, 5)}, []lie{{shape: []int{50, 5}, strides: []int{-8, 1}}}},
	{"reversed", elementwise(65, 2), []lie{{shape: []int{65, 2}, strides: []int{-2, 1}}, {shape: []int{65, 2}, strides: []int{-1, -70}}, columns(65, 2)}, []lie{{shape: []int{65, 2}, strides: []int{-3, 1}}}},
	{"far apart", elementwise(3, 4), []lie{{shape: []int{3, 4}, strides: []int{1, 1 << 14}}, {shape: []int{3, 4}, strides: []int{1 << 14, 3}}, columns(3, 4)}, []lie{{shape: []int{3, 4}, strides: []int{1, 1 << 15}}}},
	{"rows of a table", elementwise(4, 33), []lie{{shape: []int{4, 33}, strides: []int{0, 1}, table: []int{2, 0, 3, 1}}, {shape: []int{4, 33}, strides: []int{0, 2}, table: []int{2, 0, 3, 1}}, rowsOf(4, 33)}, []lie{{shape: []int{4, 33}, strides: []int{0, 3}, table: []int{1, 0, 3, 2}}}},
	{"one element", elementwise(1, 2), []lie{columns(1, 2), gathered(1, 2), rowsOf(1, 2)}, []lie{columns(1, 2)}},
	{"layer of columns", layer("80", "6", "16"), []lie{columns(80, 6), rowsOf(6, 16), rowsOf(16)}, []lie{rowsOf(80, 16), {shape: []int{80, 1}, strides: []int{1, 99}}}},
	{"layer of gathered columns", layer("80", "6", "16"), []lie{gathered(80, 6), {shape: []int{6, 16}, strides: []int{1, 6}}, {shape: []int{16}, strides: []int{3}}}, []lie{columns(80, 16), {shape: []int{80, 1}, strides: []int{4, 1}}}},
	{"layer to gathered columns", layer("80", "5", "4"), []lie{columns(80, 5).odd(), columns(5, 4), {shape: []int{4}, strides: []int{-1}}}, []lie{gathered(80, 4), {shape: []int{80, 1}, strides: []int{1, 0}, axis: 1, table: []int{0}}}},
	{"network of columns", network("150", "6", "32", "1"), []lie{columns(150, 6), rowsOf(6, 32), rowsOf(32), rowsOf(32, 1)}, []lie{columns(150, 1)}},
	{"network of gathered columns", network("150", "6", "32", "3"), []lie{gathered(150, 6).odd(), columns(6, 32), {shape: []int{32}, strides: []int{-1}}, {shape: []int{32, 3}, strides: []int{5, 1}}}, []lie{gathered(150, 3)}},
	{"network of records", network("150", "6", "32", "3"), []lie{{shape: []int{150, 6}, strides: []int{7, 1}}, gathered(6, 32), {shape: []int{32}, strides: []int{0}}, columns(32, 3)}, []lie{{shape: []int{150, 3}, strides: []int{4, 1}}}},
	{"network of long records", network("150", "40", "20", "2"), []lie{{shape: []int{150, 40}, strides: []int{71, 1}}, rowsOf(40, 20), {shape: []int{20}, strides: []int{2}}, rowsOf(20, 2)}, []lie{columns(150, 2)}},
	{"scaled product of columns", scaled("80", "6", "16"), []lie{columns(80, 6), rowsOf(6, 16), {shape: []int{16}, strides: []int{3}}}, []lie{rowsOf(80, 16)}},
	{"scaled product of gathered columns", scaled("80", "6", "16"), []lie{gathered(80, 6), columns(6, 16), {shape: []int{16}, strides: []int{-1}}}, []lie{columns(80, 16)}},
	{"scaled product with gathered columns", scaled("33", "70", "20"), []lie{{shape: []int{33, 70}, strides: []int{75, 1}}, gathered(70, 20), rowsOf(20)}, []lie{gathered(33, 20)}},
	{"wide layer", layer("33", "70", "20"), []lie{{shape: []int{33, 70}, strides: []int{75, 1}}, gathered(70, 20), rowsOf(20)}, []lie{{shape: []int{33, 20}, strides: []int{31, 1}}, rowsOf(33, 1)}},
	{"softmax of columns", softmax, []lie{columns(70, 6)}, []lie{columns(70, 6), {shape: []int{70}, strides: []int{2}}}},
	{"softmax of gathered columns", softmax, []lie{gathered(70, 6)}, []lie{gathered(70, 6), rowsOf(70)}},
	{"softmax of records", softmax, []lie{records(70, 6, 8)}, []lie{columns(70, 6), records(70, 1, 3).of(70)}},
	{"softmax to records", softmax, []lie{gathered(70, 6)}, []lie{records(70, 6, 7), rowsOf(70)}},
	{"matrices in records", mask, []lie{{shape: []int{50, 3, 2}, strides: []int{8, 1, 3}}, {shape: []int{50, 1}, strides: []int{8, 1}}, {shape: []int{50, 1}, strides: []int{1, 0}}}, []lie{records(50, 2, 5), {shape: []int{50, 3, 2}, strides: []int{7, 2, 1}}}},
	{"moved columns", moves, []lie{columns(40, 6), columns(40, 2)}, []lie{{shape: []int{6, 40}, strides: []int{1, 9}}, columns(40, 4)}},
	{"moved gathered columns", moves, []lie{gathered(40, 6), gathered(40, 2)}, []lie{{shape: []int{6, 40}, strides: []int{0, 1}, table: []int{5, 4, 1, 0, 2, 3}}, rowsOf(40, 4)}},
	{"vectors and scalars", mask, []lie{{shape: []int{50, 3, 2}, strides: []int{1, 64, 192}}, {shape: []int{50, 1}, strides: []int{0, 0}}, {shape: []int{50, 1}, strides: []int{1, 64}}}, []lie{columns(50, 2), {shape: []int{50, 3, 2}, strides: []int{1, 64, 192}}}},
	{"gathered vectors", mask, []lie{{shape: []int{50, 3, 2}, strides: []int{1, 0, 64}, axis: 1, table: []int{1, 2, 0}}, {shape: []int{50, 1}, strides: []int{3, 1}}, {shape: []int{50, 1}, strides: []int{1, 0}, axis: 1, table: []int{0}}}, []lie{gathered(50, 2), {shape: []int{50, 3, 2}, strides: []int{1, 64, 0}, axis: 2, table: []int{1, 0}}}},
	{"chosen rows", chosen, []lie{columns(30, 4), columns(30, 4)}, []lie{columns(3, 4)}},
	{"chosen rows of gathered columns", chosen, []lie{gathered(30, 4), gathered(30, 4)}, []lie{gathered(3, 4)}},
}
