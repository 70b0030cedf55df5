package accuracy

import (
	"math"
	"math/big"
	"math/rand/v2"
	"unsafe"

	"ltc/ir/types"
)

// units returns how far got is from want, in units in the last place of f32.
func units(got float32, want float64) float64 {
	w := float32(want)
	switch {
	case got != got || want != want:
		if got != got && want != want {
			return 0
		}
		return math.Inf(1)
	case math.IsInf(float64(w), 0) || want == 0:
		if math.Float32bits(got) == math.Float32bits(w) {
			return 0
		}
		return math.Inf(1)
	}
	_, e := math.Frexp(want)
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(e-24, -149))
}

// unitsBig is units for f64.
func unitsBig(got float64, want *big.Float) float64 {
	if w, _ := want.Float64(); math.IsInf(w, 0) || math.IsInf(got, 0) || got != got {
		if w == got {
			return 0
		}
		return math.Inf(1)
	}
	d := new(big.Float).SetPrec(160).Sub(num(got), want)
	f, _ := d.SetMantExp(d, -max(want.MantExp(nil)-53, -1074)).Float64()
	return math.Abs(f)
}

// Batch is how many elements a [Runner] computes at most; less is a multiple of 64.
const Batch = 1 << 16

// Runner computes elements of f32 or f64.
type Runner func(d types.DType, x, y, z []byte) error

// Worst is the largest error, and where: operands and result.
type Worst struct {
	Off float64
	At  [3]float64
}

func (w *Worst) add(off, x, y, z float64) {
	if off > w.Off {
		*w = Worst{off, [3]float64{x, y, z}}
	}
}

// Measure32 takes one in step of all f32s; of pairs as many random ones as 16 batches
// have, or a batch if step is beyond 2^14.
func (f Function) Measure32(step uint64, runs ...Runner) ([]Worst, error) {
	all := make([]Worst, len(runs))
	x, y, z := make([]float32, Batch), make([]float32, Batch), make([]float32, Batch)
	want := make([]float64, Batch)
	flush := func() error {
		for i := range x {
			want[i] = f.real(float64(x[i]), float64(y[i]))
		}
		for k, run := range runs {
			if err := run(types.F32, bytesOf(x), bytesOf(y), bytesOf(z)); err != nil {
				return err
			}
			for i := range x {
				all[k].add(units(z[i], want[i]), float64(x[i]), float64(y[i]), float64(z[i]))
			}
		}
		return nil
	}
	r := rand.New(rand.NewPCG(3, 4))
	if f.Binary {
		batches := 16
		if step > 1<<14 {
			batches = 1
		}
		for range batches {
			for i := range x {
				a, b := f.sample(r)
				x[i], y[i] = float32(a), float32(b)
			}
			if err := flush(); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	n := 0
	for bits := uint64(0); bits < 1<<32; bits += step {
		x[n] = math.Float32frombits(uint32(bits))
		if n++; n == Batch {
			if err := flush(); err != nil {
				return nil, err
			}
			n = 0
		}
	}
	for i := n; i < Batch; i++ { // those from 0 on and from -0 on
		x[i] = math.Float32frombits(uint32(i-n)<<31 | uint32(i-n)>>1)
	}
	return all, flush()
}

// Measure64 takes n random f64s, at most a batch, of a function's domain.
func (f Function) Measure64(n int, runs ...Runner) ([]Worst, error) {
	return measure(f, types.F64, n, runs, unitsBig)
}

// Measure takes n random numbers of a type, f32 or f64, at most a batch, of a
// function's domain and near its edges, and compares results with exact ones.
func (f Function) Measure(d types.DType, n int, runs ...Runner) ([]Worst, error) {
	if f.edges != nil {
		f.sample = mixed(f.sample, near(f.edges...))
	}
	if d == types.F32 {
		return measure(f, d, n, runs, func(got float32, want *big.Float) float64 {
			w, _ := want.Float64() // as good as exact
			return units(got, w)
		})
	}
	return measure(f, d, n, runs, unitsBig)
}

func measure[T float32 | float64](f Function, d types.DType, n int, runs []Runner, units func(got T, want *big.Float) float64) ([]Worst, error) {
	all := make([]Worst, len(runs))
	x, y, z := make([]T, Batch), make([]T, Batch), make([]T, Batch)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range x {
		x[i], y[i] = sampled[T](f, r)
	}
	size := (n + 63) / 64 * 64
	want := make([]*big.Float, n)
	for i := range want {
		want[i] = f.big(num(float64(x[i])), num(float64(y[i])))
	}
	for k, run := range runs {
		if err := run(d, bytesOf(x[:size]), bytesOf(y[:size]), bytesOf(z[:size])); err != nil {
			return nil, err
		}
		for i := range want {
			off := units(z[i], want[i])
			if w, _ := want[i].Float64(); bits[T]() == 53 && math.Abs(w) < f.Floor {
				_, e := math.Frexp(f.Floor)
				off = math.Abs(float64(z[i])-w) / math.Ldexp(1, e-bits[T]())
			}
			all[k].add(off, float64(x[i]), float64(y[i]), float64(z[i]))
		}
	}
	return all, nil
}

// sampled returns operands that are numbers of T and in f's domain.
func sampled[T float32 | float64](f Function, r *rand.Rand) (x, y T) {
	for {
		a, b := f.sample(r)
		x, y = T(a), T(b)
		if ordinary(x) && (!f.Binary || ordinary(y)) && (f.domain == nil || f.domain(float64(x))) {
			return x, y
		}
	}
}

// bits returns how many bits the fractions of T have, with the first.
func bits[T float32 | float64]() int {
	if unsafe.Sizeof(T(0)) == 4 {
		return 24
	}
	return 53
}

func ordinary[T float32 | float64](x T) bool { return x != 0 && x-x == 0 }

func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}
