package learn_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"

	"ltc/data"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
	"ltc/soa/npy"
)

func Example_tables() {
	dir, err := os.MkdirTemp("", "data")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "iris.csv")
	f, err := os.Create(path)
	check(err)
	check(csv.NewWriter(f).WriteAll([][]string{{"5.1", "3.5", "0"}, {"7.0", "3.2", "1"}, {"6.3", "3.3", "2"}}))
	check(f.Close())

	table, err := data.ReadCSVFile(path) // numbers alone, no line of names; .gz too
	check(err)
	dev, err := lazy.Open("cpu")
	check(err)
	tr := lazy.NewTrace(dev)
	for i, rows := range (data.Batches{Rows: table.Rows, Size: 2, Seed: 1}).Epoch(0) {
		x := lazy.From(tr, data.Gather[float32](nil, table, rows, 0, 2), len(rows), 2)
		y := lazy.From(tr, data.Gather[int32](nil, table, rows, 2, 3), len(rows))
		fmt.Println(i, x.Type(), y.Type())
	}
	// Output:
	// 0 f32[2,2] i32[2]
	// 1 f32[1,2] i32[1]
}

func Example_arrays() {
	dir, err := os.MkdirTemp("", "data")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "x.npy")
	made, err := soa.Borrow([]float32{1, 2, 3, 4, 5, 6}, types.Of(types.F32, 2, 3))
	check(err)
	check(npy.WriteFile(path, made)) // as numpy.save does

	dev, err := lazy.Open("cpu")
	check(err)
	view, err := npy.ReadFile(path) // npy.Map for files larger than memory
	check(err)
	x := lazy.FromView(dev, view) // the array itself: nothing is copied
	sum := lazy.NewTrace(dev).Read(x).Sum(0)
	fmt.Println(lazy.ToSlice[float32](sum))
	// Output: [5 7 9] <nil>
}

func Example_columns() {
	type Hit struct {
		X, Y, Z float32
		Layer   int32
	}
	hits := soa.Of[Hit](3) // one block of memory, a column for each field
	for i := range 3 {
		hits.At(i).Store(Hit{X: float32(i), Y: 1, Z: 2, Layer: int32(i)})
	}
	dev, err := lazy.Open("cpu")
	check(err)
	x, err := hits.Col("X").View()
	check(err)
	z, err := hits.Col("Z").View()
	check(err)
	tr := lazy.NewTrace(dev)
	r := lazy.FromView(tr, x).Mul(lazy.FromView(tr, z)) // read where they lie
	fmt.Println(lazy.ToSlice[float32](r))
	// Output: [0 2 4] <nil>
}
