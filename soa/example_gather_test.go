package soa_test

import (
	"fmt"
	"os"
	"path/filepath"

	"ltc/soa"
	"ltc/soa/npy"
)

func ExampleGather() {
	dir, err := os.MkdirTemp("", "ltc")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "showers.npz")
	var arrays []npy.Entry
	for _, c := range []soa.Column{
		soa.ColumnOf("energy", []float32{50, 7, 9}),
		soa.ColumnOf("hits", []float32{1, 2, 3, 4}),
		soa.ColumnOf("hits_start", []int64{0, 2, 2, 4}), // and the end
	} {
		v, err := c.View()
		check(err)
		arrays = append(arrays, npy.Entry{Name: c.Name(), View: v})
	}
	check(npy.WriteArchive(path, arrays))

	file := map[string]soa.View{}
	entries, err := npy.ReadArchive(path)
	check(err)
	for _, e := range entries {
		file[e.Name] = e.View
	}
	columns, err := soa.Gather("showers",
		soa.ViewColumn("Energy", file["energy"]),
		soa.JaggedColumn(soa.ViewColumn("Hits", file["hits"]), soa.ViewColumn("Hits.offsets", file["hits_start"])))
	check(err)
	type Shower struct {
		Energy float32
		Hits   []float32
	}
	showers, err := soa.As[Shower](columns)
	check(err)
	fmt.Println(showers.At(0).Load(), showers.At(1).Load(), showers.At(2).Load())
	// Output:
	// {50 [1 2]} {7 []} {9 [3 4]}
}
