package gemm

import "math"

// Border is an image with 0 around it: a padded image of Count rows of Width elements each, of
// which memory has some. Rows are in memory from the element First on, before the element End, and
// their elements lie together there.
//
// Copies of columns that are two elements apart take Width to be even, and write over the last
// element of each row, which no window reads.
//
// Code reads this structure.
type Border struct {
	Rows   *int64 // the bytes from B to where memory would have the first element of each row; [NoRow]
	Width  int
	First  int
	End    int
	Count  int
	Origin int // the bytes from the padded image's first element to that of B
}

// NoRow says that all of a row is 0.
const NoRow = math.MinInt64
