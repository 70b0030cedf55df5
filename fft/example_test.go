package fft_test

import (
	"fmt"

	_ "ltc/backends/reference"
	"ltc/fft"
	"ltc/lazy"
)

func Example() {
	dev, err := lazy.Open("cpu")
	check(err)
	defer dev.Close()
	tr := lazy.NewTrace(dev)
	signal := lazy.From(tr, []float32{1, 0, -1, 0, 1, 0, -1, 0}) // two periods
	power := fft.RFFT(signal, fft.Options{Norm: fft.Ortho}).Abs().Square()
	frequency := fft.RFFTFreq(tr, lazy.F32, 8, 1)
	check(tr.MarkStep(power, frequency))
	p, err := lazy.ToSlice[float32](power)
	check(err)
	f, err := lazy.ToSlice[float32](frequency)
	check(err)
	fmt.Println(f)
	fmt.Printf("%.1f\n", p)
	// Output:
	// [0 0.125 0.25 0.375 0.5]
	// [0.0 0.0 2.0 0.0 0.0]
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
