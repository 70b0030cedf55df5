package lazy

import (
	"fmt"
	"slices"
	"sync"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/memory"
	"ltc/soa"
)

// Random is a stream of random numbers: the same for a seed on every backend
// and for any number of threads. It may be used from any goroutine; who draws
// first gets the earlier numbers. No draw compiles anything but the first of its
// kind and shape: where the stream stands is an argument of the program.
type Random struct {
	dev *Device
	mu  sync.Mutex
	at  RandomState
}

// NewRandom returns the stream of a seed.
func NewRandom(d *Device, seed uint64) *Random { return RandomFrom(d, RandomState{Key: seed}) }

// noStream is the error of a call on a nil Random, or one of no device.
const noStream = "there is no stream; make one with NewRandom, for a device that is open"

func (r *Random) none() bool { return r == nil || !r.dev.opens() }

// Bits records u32 words of random bits. Every draw takes whole blocks of four
// words, and its first elements do not depend on how many follow.
func (r *Random) Bits(tr *Trace, dims ...int) *Tensor { return r.bits(tr, "bits", dims...) }

func (r *Random) bits(tr *Trace, op string, dims ...int) *Tensor {
	t, bad := r.drawn(tr, op, types.U32, dims)
	if bad != nil {
		return bad
	}
	words := t.Elements()
	state := r.state(tr, op, words)
	return recordPhilox(state, words).Reshape(t.Shape...)
}

// words64 records u64 elements of random bits with the given dimensions, the
// first of two words being the lower.
func (r *Random) words64(tr *Trace, op string, dims ...int) *Tensor {
	words := r.bits(tr, op, append(slices.Clone(dims), 2)...)
	if words.err != nil {
		return words
	}
	lo, hi := last(words, 0).Convert(types.U64), last(words, 1).Convert(types.U64)
	return hi.ShiftLeft(hi.word(32)).Or(lo)
}

// last returns element i along x's last axis, which is dropped.
func last(x *Tensor, i int) *Tensor {
	if x.err != nil {
		return x
	}
	end := x.Rank() - 1
	starts, strides := make([]int, end+1), slices.Repeat([]int{1}, end+1)
	limits := slices.Clone([]int(x.Shape()))
	starts[end], limits[end] = i, i+1
	return x.Slice(starts, limits, strides).Reshape(x.Shape()[:end]...)
}

// drawn returns the type of a draw, or a poisoned tensor when it cannot be.
func (r *Random) drawn(tr *Trace, op string, d types.DType, dims []int) (types.Type, *Tensor) {
	t := types.Of(d, slices.Clone(dims)...)
	if nowhere(tr) {
		return t, refused(tr, op, "")
	}
	if r.none() {
		return t, refused(tr, op, noStream)
	}
	if why := sameDevice(tr.dev, r.dev); why != "" {
		return t, tr.poisoned(opError(tr.site(), op, ErrPlacement, nil, "the trace and the stream are on two devices: %s", why))
	}
	if err := t.Check(); err != nil {
		return t, refused(tr, op, err.Error())
	}
	if err := soa.Fits(t.Bytes()); err != nil {
		return t, refused(tr, op, err.Error())
	}
	return t, nil
}

// state draws words and returns the argument that says where they start.
func (r *Random) state(tr *Trace, op string, words int) *Tensor {
	d := &draw{r, (words + 3) / 4}
	if tr.function {
		return tr.wrap(tr.b.Detached(types.Of(types.U64, 2), "random", d))
	}
	v := d.value()
	if v.err != nil {
		return refused(tr, op, v.err.Error())
	}
	return newValue(tr, v.view, "random")
}

// draw is a place in a program that draws random numbers.
type draw struct {
	from   *Random
	blocks int
}

// value draws: it returns the key and counter to start from. Its error is that
// of the program it is an argument of.
func (d *draw) value() *value {
	v := &value{name: "random", view: soa.Make(types.Of(types.U64, 2))}
	at, err := d.from.take(d.blocks)
	at.words(v.view)
	v.err = err
	return v
}

// Uniform records floating-point numbers drawn from [0, 1): multiples of
// 2^-24 for F32, 2^-53 for F64, 2^-11 for F16 and 2^-8 for BF16.
func (r *Random) Uniform(tr *Trace, dtype types.DType, dims ...int) *Tensor {
	if !dtype.IsFloat() {
		return refused(tr, "uniform", fmt.Sprintf("there are no uniform numbers of %v; draw floating point and convert it", dtype))
	}
	if dtype == types.F64 {
		bits := r.words64(tr, "uniform", dims...)
		return bits.ShiftRight(bits.like(11)).Convert(types.F64).MulScalar(0x1p-53)
	}
	drop, scale := uniformSteps(dtype)
	bits := r.bits(tr, "uniform", dims...)
	return bits.ShiftRight(bits.like(float64(drop))).Convert(dtype).MulScalar(scale)
}

// uniformSteps returns how many of 32 bits to drop so that the rest is exact in
// dtype, and the distance between two numbers.
func uniformSteps(dtype types.DType) (drop int, scale float64) {
	switch dtype {
	case types.F16:
		return 21, 0x1p-11
	case types.BF16:
		return 24, 0x1p-8
	}
	return 8, 0x1p-24
}

// stream draws float64 numbers on the host: the F64 numbers of Uniform for the
// same key.
type stream struct {
	key, counter uint64
	spare        uint64
	have         bool
}

// newStream returns stream number n of a seed.
func newStream(seed, n uint64) *stream {
	b := philoxAt(seed, n)
	return &stream{key: uint64(b[0])<<32 | uint64(b[1])}
}

// uniform returns the next number of [0, 1).
func (s *stream) uniform() float64 {
	word := s.spare
	if s.have = !s.have; s.have {
		b := philoxAt(s.key, s.counter)
		s.counter++
		word, s.spare = uint64(b[1])<<32|uint64(b[0]), uint64(b[3])<<32|uint64(b[2])
	}
	return float64(word>>11) * 0x1p-53
}

// fill writes the values of f to a dense view.
func fill(v soa.View, f Initializer, s *stream) error {
	next, err := f(v.Type, s.uniform)
	if err != nil {
		return err
	}
	if next == nil {
		return fmt.Errorf("the initializer gives neither numbers nor an error")
	}
	d := v.Type.DType
	for i := range v.Type.Elements() {
		x := next()
		if err := fits(d, x); err != nil {
			return err
		}
		memory.SetBits(v, i, ir.LiteralBits(d, x))
	}
	return nil
}
