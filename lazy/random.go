package lazy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/axes"
	"ltc/lazy/internal/memory"
	"ltc/lazy/internal/philox"
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
	lo, hi := words.Select(-1, 0).Convert(types.U64), words.Select(-1, 1).Convert(types.U64)
	return u64Of(lo, hi)
}

// exportDraws is why a draw of a function that is exported is an error.
const exportDraws = "the function that is exported draws random numbers; for a network call module.Eval(net) before Export, which turns dropout off; elsewhere take the numbers as an input"

// drawn returns the type of a draw, or a poisoned tensor when it cannot be.
func (r *Random) drawn(tr *Trace, op string, d types.DType, dims []int) (types.Type, *Tensor) {
	t := types.Of(d, slices.Clone(dims)...)
	if nowhere(tr) {
		return t, refused(tr, op, "")
	}
	if r.none() {
		return t, refused(tr, op, noStream)
	}
	if tr.exporting {
		return t, refused(tr, op, exportDraws)
	}
	if why := sameDevice(tr.dev, r.dev); why != "" {
		return t, tr.poisoned(opError(tr.site(), op, ErrPlacement, nil, "the trace and the stream are on two devices: %s", why))
	}
	if err := t.CheckSizes(); err != nil {
		return t, refused(tr, op, err.Error())
	}
	if isOpen(t) {
		return t, refused(tr, op, fmt.Sprintf("sizes of %v are open, and a draw takes a number of words that is known when it is recorded; draw for the most elements that there can be, and take those that belong to the others by the same mask, or by Narrow", t.Shape))
	}
	if err := soa.Fits(t.Bytes()); err != nil {
		return t, refused(tr, op, err.Error())
	}
	return t, nil
}

// state draws words and returns the argument that says where they start.
func (r *Random) state(tr *Trace, op string, words int) *Tensor {
	d := &draw{r, (words + 3) / 4}
	if loop := tr.iteration(); loop != nil {
		return loop.draw(tr, d)
	}
	if tr.function {
		var t *Tensor
		tr.atDepth(0, func() { t = tr.wrap(tr.b.Detached(types.Of(types.U64, 2), "random", d)) })
		return t
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
	return r.unit(tr, "uniform", dtype, dims)
}

// unit is Uniform for op.
func (r *Random) unit(tr *Trace, op string, dtype types.DType, dims []int) *Tensor {
	if dtype == types.F64 {
		bits := r.words64(tr, op, dims...)
		return bits.ShiftRight(bits.word(11)).Convert(dtype).MulScalar(0x1p-53)
	}
	drop, scale := uint64(8), 0x1p-24 // so many of 32 bits are dropped that the rest is exact
	switch dtype {
	case types.F16:
		drop, scale = 21, 0x1p-11
	case types.BF16:
		drop, scale = 24, 0x1p-8
	}
	bits := r.bits(tr, op, dims...)
	return bits.ShiftRight(bits.word(drop)).Convert(dtype).MulScalar(scale)
}

// RandomState is where a random stream stands: all there is to save of it. It
// is comparable, and streams of equal states draw equal numbers on any device.
type RandomState struct {
	Key     uint64 // of Philox: which stream
	Counter uint64 // blocks of four words drawn so far
}

// State returns where the stream stands. Draws that are recorded count, whether
// their step has run or not; those of a [Function] count when it is called.
// It is the zero state of a nil stream, from which nothing can be drawn.
func (r *Random) State() RandomState {
	if r == nil {
		return RandomState{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at
}

// SetState makes the stream go on from s; a nil one stays nil.
func (r *Random) SetState(s RandomState) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = s
}

// RandomFrom returns a stream that goes on from s.
func RandomFrom(d *Device, s RandomState) *Random { return &Random{dev: d, at: s} }

// maxForks is how many streams one call may make.
const maxForks = 1 << 20

// Fork returns n streams, at most 2^20, that share no numbers with r or with each other. They
// depend on the state of r alone, which goes on by one block: forking again
// gives others.
//
// The key of child i is the first two words of the Philox block of r's key with the counter
// {block, block>>32, i, 1}. Draws have 0 in the last two words, so no number that r draws
// is part of a key. Two of k streams have the same key, and so the same numbers, with a
// probability of about k²/2⁶⁵.
func (r *Random) Fork(n int) ([]*Random, error) {
	if r.none() {
		return nil, fmt.Errorf("fork: %w: %s", ErrUsage, noStream)
	}
	if n < 0 || n > maxForks {
		return nil, fmt.Errorf("fork: %w: there cannot be %s", ErrUsage, diag.Count(n, "stream"))
	}
	parent, err := r.take(1)
	if err != nil {
		return nil, fmt.Errorf("fork: %w", err)
	}
	children := make([]*Random, n)
	for i := range children {
		children[i] = &Random{dev: r.dev, at: RandomState{Key: philox.Child(parent.Key, parent.Counter, uint32(i))}}
	}
	return children, nil
}

// errExhausted: the counter of a stream has 64 bits.
var errExhausted = errors.New("the stream ends here: it has given 2^64 blocks of numbers; fork it")

// take draws blocks and returns where they start.
func (r *Random) take(blocks int) (RandomState, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.at
	if uint64(blocks) > math.MaxUint64-s.Counter {
		return s, errExhausted
	}
	r.at.Counter += uint64(blocks)
	return s, nil
}

// words are the state as programs take it.
func (s RandomState) words(v soa.View) { copy(soa.Slice[uint64](v), []uint64{s.Key, s.Counter}) }

// The text and binary forms name the generator and the version of the form.
const (
	stateText   = "philox4x32-10/1"
	stateBinary = "PHX\x01"
)

// String returns the text form, philox4x32-10/1:KEY:COUNTER in hexadecimal.
func (s RandomState) String() string {
	return fmt.Sprintf("%s:%016x:%016x", stateText, s.Key, s.Counter)
}

// MarshalText returns the text form.
func (s RandomState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

var errNoState = errors.New("random state: it is empty: was a state saved with the file?")

// UnmarshalText reads the text form.
func (s *RandomState) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errNoState
	}
	parts := strings.Split(string(text), ":")
	if parts[0] != stateText {
		return fmt.Errorf("random state: %q is of another generator or version, want %s", cut(parts[0]), stateText)
	}
	if len(parts) != 3 {
		return fmt.Errorf("random state: %q has %s, want %s:KEY:COUNTER", cut(string(text)), diag.Count(len(parts), "part"), stateText)
	}
	var read [2]uint64
	for i, p := range parts[1:] {
		v, err := strconv.ParseUint(p, 16, 64)
		if err != nil || len(p) != 16 {
			return fmt.Errorf("random state: %q is not a number of 16 hexadecimal digits", cut(p))
		}
		read[i] = v
	}
	*s = RandomState{Key: read[0], Counter: read[1]}
	return nil
}

// cut shortens what an error shows.
func cut(s string) string { return s[:min(len(s), 40)] }

// MarshalBinary returns the binary form: 4 bytes of generator and version, key
// and counter in little-endian order.
func (s RandomState) MarshalBinary() ([]byte, error) {
	b := binary.LittleEndian.AppendUint64([]byte(stateBinary), s.Key)
	return binary.LittleEndian.AppendUint64(b, s.Counter), nil
}

// UnmarshalBinary reads the binary form.
func (s *RandomState) UnmarshalBinary(b []byte) error {
	if len(b) == 0 {
		return errNoState
	}
	if !strings.HasPrefix(string(b), stateBinary) {
		return fmt.Errorf("random state: bytes %x are of another generator or version, want %x", b[:min(len(b), 4)], stateBinary)
	}
	if len(b) != len(stateBinary)+16 {
		return fmt.Errorf("random state: %s, want %d", diag.Count(len(b), "byte"), len(stateBinary)+16)
	}
	b = b[len(stateBinary):]
	*s = RandomState{Key: binary.LittleEndian.Uint64(b), Counter: binary.LittleEndian.Uint64(b[8:])}
	return nil
}

// breaksState reports whether x is no state of random numbers.
func breaksState(x *Tensor, d demand) *breach {
	if x.DType() == types.U64 && x.Rank() == 1 && x.OpenDim(0) == 2 {
		return nil
	}
	return breaks(d, "x must be u64[2], a key and a counter")
}

func checkPhilox(x *Tensor, _ int) *breach { return breaksState(x, philoxState) }

// computePhilox is philox as a program: of a state u64[2], key and counter, it
// makes u32 words, block after block.
func computePhilox(x *Tensor, words int) *Tensor {
	blocks := (words + 3) / 4
	c := philoxBlocks(x, blocks, 0)
	for i := range c {
		c[i] = c[i].Convert(types.U32).Unsqueeze(1)
	}
	all := Concatenate(1, c[:]...).Reshape(4 * blocks)
	return all.Slice([]int{0}, []int{words}, []int{1})
}

// philoxBlocks returns the four words of each block, as u64[blocks]. The last word of the
// counter is last. All is computed in u64, where a product has both its halves and where no
// conversion has to cut bits off.
func philoxBlocks(x *Tensor, blocks int, last uint64) [4]*Tensor {
	key := x.Slice([]int{0}, []int{1}, []int{1})
	counter := x.Slice([]int{1}, []int{2}, []int{1}).Add(Iota(x.tr, types.U64, 0, blocks))
	c0, c1 := low32(counter), high32(counter)
	k0, k1 := low32(key), high32(key)
	// The first round, whose upper words of the counter are 0 and last.
	product := c0.Mul(c0.word(philox.M0))
	third := high32(product).Xor(k1)
	if last != 0 {
		third = third.Xor(c0.word(last))
	}
	c := [4]*Tensor{c1.Xor(k0), nil, third, low32(product)}
	for i := 1; i < philox.Rounds; i++ {
		k0, k1 = low32(k0.Add(k0.word(philox.W0))), low32(k1.Add(k1.word(philox.W1)))
		p0, p1 := c[0].Mul(c0.word(philox.M0)), c[2].Mul(c0.word(philox.M1))
		c0, c2 := high32(p1), high32(p0).Xor(c[3].Xor(k1))
		if c[1] != nil {
			c0 = c0.Xor(c[1])
		}
		c = [4]*Tensor{c0.Xor(k0), low32(p1), c2, low32(p0)}
	}
	return c
}

// forkedState is the state of the stream that Fork(1) returns for a stream in state x.
func forkedState(x *Tensor) *Tensor {
	b := philoxBlocks(x, 1, 1)
	key := b[0].Or(b[1].ShiftLeft(b[1].word(32)))
	return Concatenate(0, key, key.Xor(key))
}

// word records a constant of x's dtype, an integer, with the given bits.
func (x *Tensor) word(bits uint64) *Tensor {
	if x.err != nil {
		return x
	}
	return x.tr.number(x.DType(), bits)
}

// low32 and high32 return the halves of u64 elements.
func low32(x *Tensor) *Tensor  { return x.And(x.word(math.MaxUint32)) }
func high32(x *Tensor) *Tensor { return x.ShiftRight(x.word(32)) }

// Initializer gives a variable its first values: next returns one element after
// the other, in row-major order, drawing from uniform numbers of [0, 1).
type Initializer interface {
	Values(t types.Type, uniform func() float64) (next func() float64, err error)
}

// InitializerFunc is a function as an [Initializer].
type InitializerFunc func(t types.Type, uniform func() float64) (next func() float64, err error)

// Values calls the function.
func (f InitializerFunc) Values(t types.Type, uniform func() float64) (next func() float64, err error) {
	return f(t, uniform)
}

// fill writes the values of f to a dense view.
func fill(v soa.View, f Initializer, s *philox.Stream) error {
	next, err := f.Values(v.Type, s.Uniform)
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

// Normal draws from the normal distribution.
func Normal(mean, stddev float64) Initializer {
	return InitializerFunc(func(t types.Type, uniform func() float64) (func() float64, error) {
		if !t.DType.IsFloat() {
			return nil, notNormal(t.DType)
		}
		var spare float64
		have := false
		// Box, Muller: A note on the generation of random normal deviates, 1958.
		return func() float64 {
			if have = !have; !have {
				return mean + stddev*spare
			}
			radius := math.Sqrt(-2 * math.Log(1-uniform()))
			sin, cos := math.Sincos(2 * math.Pi * uniform())
			spare = radius * sin
			return mean + stddev*radius*cos
		}, nil
	})
}

func notNormal(d types.DType) error {
	return fmt.Errorf("normal numbers do not fit %v: use a float dtype, Uniform or Constant", d)
}

// Uniform draws from [low, high).
func Uniform(low, high float64) Initializer {
	return InitializerFunc(func(t types.Type, uniform func() float64) (func() float64, error) {
		return func() float64 { return low + (high-low)*uniform() }, nil
	})
}

// TruncatedNormal draws from the normal distribution numbers between low and high alone,
// as PyTorch's trunc_normal_ does: by inverting its cumulative distribution function. The
// deviation of what is drawn is less than stddev: 0.8796 of it between -2 and 2 stddev.
func TruncatedNormal(mean, stddev, low, high float64) Initializer {
	return InitializerFunc(func(t types.Type, uniform func() float64) (func() float64, error) {
		below := func(x float64) float64 { return math.Erfc((mean-x)/(stddev*math.Sqrt2)) / 2 }
		from, to := below(low), below(high)
		switch {
		case !t.DType.IsFloat():
			return nil, notNormal(t.DType)
		case !(stddev > 0) || math.IsInf(stddev, 0) || !(low < high):
			return nil, fmt.Errorf("stddev %v must be positive and finite, and low %v below high %v", stddev, low, high)
		case !(to-from >= 1e-6): // beyond it inverting is inexact
			return nil, fmt.Errorf("less than a millionth of the normal distribution of mean %v and stddev %v is between %v and %v: widen the interval", mean, stddev, low, high)
		}
		return func() float64 {
			x := mean + stddev*math.Sqrt2*math.Erfinv(2*(from+(to-from)*uniform())-1)
			return min(max(x, low), high)
		}, nil
	})
}

// The initializers below know how many inputs and outputs an element of a weight is
// between, its fan-in and fan-out. A layer names the axes of its weight by [WithLayout].
// Elsewhere a matrix is [in, out], as MatMul takes it on the right. The axes of any other
// weight must be named as [ConvOptions.Layout] names those of a kernel, or by the whole of
// that layout. "OIHW" is the kernel that Conv takes by default. "HWIO" is that of the layout
// "NHWC,HWIO->NHWC". "OI" is a matrix [out, in]. The fan-in is the dimension of I times
// those of the spatial axes, the fan-out that of O times the same. In a convolution with
// groups I has the input features of one group. Axes that are named N hold weights of their
// own and count in neither.

// HeNormal draws weights for layers followed by ReLU: normal with variance 2/fan-in (He,
// Zhang, Ren, Sun: Delving deep into rectifiers, 2015, equation 10). It is PyTorch's
// kaiming_normal_.
func HeNormal(layout ...string) Initializer {
	return scaled("HeNormal", layout, func(in, _ float64) Initializer { return Normal(0, math.Sqrt(2/in)) })
}

// HeUniform is [HeNormal] with uniform numbers of the same variance: within
// sqrt(6/fan-in). It is PyTorch's kaiming_uniform_ with a = 0.
func HeUniform(layout ...string) Initializer {
	return scaled("HeUniform", layout, func(in, _ float64) Initializer { return within(math.Sqrt(6 / in)) })
}

// GlorotNormal draws weights for layers followed by tanh and the like: normal with
// variance 2/(fan-in + fan-out) (Glorot, Bengio: Understanding the difficulty of training
// deep feedforward neural networks, 2010, equation 12). It is PyTorch's xavier_normal_.
func GlorotNormal(layout ...string) Initializer {
	return scaled("GlorotNormal", layout, func(in, out float64) Initializer { return Normal(0, math.Sqrt(2/(in+out))) })
}

// GlorotUniform is [GlorotNormal] with uniform numbers of the same variance: within
// sqrt(6/(fan-in + fan-out)), the paper's equation 16. It is PyTorch's xavier_uniform_.
func GlorotUniform(layout ...string) Initializer {
	return scaled("GlorotUniform", layout, func(in, out float64) Initializer { return within(math.Sqrt(6 / (in + out))) })
}

// KaimingUniform is what PyTorch's Linear and Conv layers start from: kaiming_uniform_
// with a = sqrt(5), whose limit sqrt(6/((1+a²) fan-in)) is 1/sqrt(fan-in)
// (torch/nn/modules/linear.py, reset_parameters). PyTorch draws their biases within the
// same limit: Uniform(-k, k) with k = 1/sqrt(fan-in) of the weight.
func KaimingUniform(layout ...string) Initializer {
	return scaled("KaimingUniform", layout, func(in, _ float64) Initializer { return within(math.Sqrt(1 / in)) })
}

func within(limit float64) Initializer { return Uniform(-limit, limit) }

// scaledInitializer is what of gives for the fan-in and fan-out of a weight.
type scaledInitializer struct {
	name   string
	layout []string
	of     func(in, out float64) Initializer
}

func scaled(name string, layout []string, of func(in, out float64) Initializer) Initializer {
	return scaledInitializer{name, layout, of}
}

// Values gives those of the initializer for the fans of t.
func (s scaledInitializer) Values(t types.Type, uniform func() float64) (func() float64, error) {
	in, out, err := axes.Fans(s.name, t.Shape, s.layout)
	if err != nil {
		return nil, err
	}
	return s.of(in, out).Values(t, uniform)
}

// WithLayout returns f with the layout of the weight where f is [HeNormal] or another that scales with the fans, and was
// given no layout. Layers call it for their weights; others are returned as they are.
func WithLayout(f Initializer, layout string) Initializer {
	if s, ok := f.(scaledInitializer); ok && len(s.layout) == 0 {
		s.layout = []string{layout}
		return s
	}
	return f
}

// Constant sets every element to v.
func Constant(v float64) Initializer {
	return InitializerFunc(func(types.Type, func() float64) (func() float64, error) {
		return func() float64 { return v }, nil
	})
}
