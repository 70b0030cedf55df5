package soa_test

import "ltc/ir/types"

//go:generate go run ./gen -type Hit -o hit_soa_gen_test.go

// Hit has what accessors are generated for.
type Hit struct {
	X, Y, Z float32
	Cov     [2][3]float64
	Dir     [3]float32
	Image   [5][4]float32
	Vertex  struct{ X, Y float32 }
	Time    types.Float16
	Layer   Layer
	Good    bool
	Cells   []struct {
		Charge float32
		At     [2]int32
	}
	Ids    []uint64
	Tracks struct{ Pt float32 } `soa:",block"`
	Field  [3]float32           `soa:"B,scalar"`
	Run    uint32               `soa:",scalar"`
}

// Layer is a type of its own.
type Layer int32

//go:generate go run ./gen -type Track -o track_soa_gen_test.go

// Track has plain columns of one size, one after the other.
type Track struct {
	Charge float32 `soa:",scalar"`
	Pt     float32
	Label  Layer
	Cov    [2][3]float32
	Dir    [3]float32
	Hits   []uint64
}

//go:generate go run ./gen -type Coded -o coded_soa_gen_test.go

// Coded has columns of floats of 8 bits.
type Coded struct {
	Weight   types.Float8E4M3FN
	Gradient [2]types.Float8E5M2
}
