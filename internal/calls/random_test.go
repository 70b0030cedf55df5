package calls_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	_ "ltc/backends/reference/llvm"
	"ltc/internal/calls"
	"ltc/internal/samples"
	"ltc/internal/trials"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// randomCall is a call of an op on tensors of random types, with random attributes.
type randomCall struct {
	op       *calls.Op
	attrs    calls.Values
	dtypes   []types.DType
	shapes   [][]int // symbol stands for the size n
	indices  []bool  // which of the tensors have indices of places
	outside  bool    // an index is beyond all places, which is an error of the step
	seed     uint64
	symbolic bool
}

// symbol stands for the size n in shapes, from 1 to mostSize.
const (
	symbol   = -1
	mostSize = 9
)

func (c *randomCall) String() string {
	return fmt.Sprintf("%s %v %v %v, seed %d", c.op.GoName(), c.dtypes, c.shapes, c.attrs, c.seed)
}

// sizes is a shape for an n.
func sizes(shape []int, n int) []int {
	shape = slices.Clone(shape)
	for i, d := range shape {
		if d == symbol {
			shape[i] = n
		}
	}
	return shape
}

// inputs returns the tensors of the call for an n.
func (c *randomCall) inputs(n int) []soa.View {
	r := rand.New(rand.NewPCG(c.seed, uint64(n)))
	places, outside := c.places(n), c.outside
	var all []soa.View
	for i, d := range c.dtypes {
		v := soa.Make(types.Of(d, sizes(c.shapes[i], n)...))
		for k := range v.Type.Elements() {
			switch {
			case d == types.Bool:
				samples.Set(v, k, float64(r.IntN(2)))
			case c.indices[i] && outside:
				samples.Set(v, k, beyond)
				outside = false
			case c.indices[i]:
				samples.Set(v, k, float64(c.place(r, i, places)))
			case c.bounded(i):
				samples.Set(v, k, c.within(r, i))
			case c.dominates(v.Type.Shape, k):
				samples.Set(v, k, float64(3*v.Type.Shape[len(v.Type.Shape)-1]+2)+2*r.Float64())
			case d.IsComplex():
				samples.SetComplex(v, k, complex(r.Float64()-0.5, r.Float64()-0.5))
			case d.IsFloat() && c.op.Package == "linalg":
				samples.Set(v, k, 4*r.Float64()-2) // regular matrices
			case d.IsFloat():
				samples.Set(v, k, float64(r.IntN(25)-12)/4)
			case d.IsSigned():
				samples.Set(v, k, float64(r.IntN(6)-2))
			default:
				samples.Set(v, k, float64(r.IntN(5)))
			}
		}
		all = append(all, v)
	}
	return all
}

// divides are the functions of linalg that divide by a matrix.
var divides = []string{"Inv", "LstSq", "LUSolve", "MatrixPower", "PInv", "Solve"}

// dominates reports whether element k is on the diagonal of a matrix for Cholesky, or of one to divide by whose
// rows have then been rotated, so that factors need pivots. With n columns it has elements from 3n+2 to 3n+4 there,
// and of at most 3 elsewhere. By Gershgorin's circles the eigenvalues of a square one are from 5 to 6n+1 before the
// rotation: rounding makes no factor NaN, and no solution is far from another.
func (c *randomCall) dominates(shape []int, k int) bool {
	rank := len(shape)
	divided := c.op.Package == "linalg" && slices.Contains(divides, c.op.Name)
	if n, ok := c.attrs["n"].(int); ok && c.op.Name == "MatrixPower" {
		divided = n < 0
	}
	if rank < 2 || !divided && !strings.HasSuffix(c.op.Name, "Cholesky") {
		return false
	}
	rows, columns := shape[rank-2], shape[rank-1]
	row := k / columns % rows
	if divided {
		row = (row + int(c.seed%uint64(rows))) % rows
	}
	return row == k%columns
}

// bounded reports whether a tensor has numbers that the op takes only within bounds of its own.
func (c *randomCall) bounded(i int) bool {
	switch c.op.GoName() {
	case "nn.CTCLoss":
		return i >= 2
	case "nn.EmbeddingBagOffsets":
		return i == 2
	}
	return c.op.GoName() == "Random.Multinomial"
}

// within returns such a number: lengths of 0 or 1, offsets of bags of which the last has all, and probabilities.
func (c *randomCall) within(r *rand.Rand, i int) float64 {
	switch c.op.GoName() {
	case "nn.CTCLoss":
		return float64(r.IntN(2))
	case "nn.EmbeddingBagOffsets":
		return 0
	}
	return float64(1+r.IntN(5)) / 4
}

// beyond is an index beyond the places of most tensors, which every dtype has.
const beyond = 120

// indexes reports whether an operand has indices of places.
func indexes(o *calls.Op, operand int) bool {
	name := o.Operands[operand].Name
	return strings.HasPrefix(name, "ind") || name == "labels" || name == "pivots" || operand == 0 && (o.Name == "OneHot" || o.Name == "Bincount")
}

// places returns a number of places that exist whichever axis indices are of: the smallest dimension
// of the tensor that they choose from, or what an attribute says.
func (c *randomCall) places(n int) int {
	least := 5
	if i := slices.Index(c.indices, false); i >= 0 {
		if len(c.shapes[i]) == 0 {
			return 1
		}
		for _, d := range sizes(c.shapes[i], n) {
			least = min(least, d)
		}
	}
	for _, name := range []string{"classes", "bins"} {
		if v, ok := c.attrs[name].(int); ok {
			least = min(least, v)
		}
	}
	return least
}

// place returns an index for tensor i, of which some ops take negative ones, too.
func (c *randomCall) place(r *rand.Rand, i, places int) int {
	if places < 1 {
		return 0
	}
	at := r.IntN(places)
	switch {
	case c.op.Operands[min(i, len(c.op.Operands)-1)].Name == "pivots": // which count from 1
		return at + 1
	case c.dtypes[i].IsSigned() && r.IntN(4) == 0 && slices.Contains([]string{"Index", "IndexPut", "IndexFill", "Take", "Put"}, c.op.GoName()):
		return at - places
	}
	return at
}

// refusesIndex reports whether the step of the call must fail, as beyond is none of its places.
func (c *randomCall) refusesIndex(n int) bool {
	all := 1
	if i := slices.Index(c.indices, false); i >= 0 {
		all = types.Of(c.dtypes[i], sizes(c.shapes[i], n)...).Elements()
	}
	if !c.outside || all > beyond || c.places(n) < 1 {
		return false
	}
	for i, d := range c.dtypes {
		if c.indices[i] && d != types.Bool && types.Of(d, sizes(c.shapes[i], n)...).Elements() > 0 {
			return true
		}
	}
	return false
}

// named requires that the error of an index names the call and the types of its operands.
func (c *randomCall) named(t *testing.T, err error) {
	bad, ok := errors.AsType[*lazy.OpError](err)
	require.True(t, ok, "%v: %v", c, err)
	require.Equal(t, c.op.Mnemonic(), bad.Op, c)
	require.Len(t, bad.Operands, len(c.dtypes), "%v: %v", c, err)
	for i, d := range c.dtypes {
		is := bad.Operands[i]
		require.True(t, is.Shape.Equal(sizes(c.shapes[i], 3)), "%v: %v", c, err)
		require.True(t, is.DType == d || c.op.Traits.Has(ops.Promotes), "%v: %v", c, err)
	}
}

// random makes calls.
type random struct{ *rand.Rand }

func (r random) pick(all ...int) int { return all[r.IntN(len(all))] }

// shape has few axes, often of one size.
func (r random) shape() []int {
	s := make([]int, r.pick(0, 1, 2, 2, 2, 3, 3, 4))
	one := r.pick(0, 2, 3, 3, symbol, symbol)
	for i := range s {
		if s[i] = r.pick(1, 2, 3, 2, 3, 4, 0, symbol, symbol); one > 0 || one == symbol {
			s[i] = one
		}
	}
	if len(s) > 2 && r.IntN(2) == 0 { // places of images
		for i := range s[2:] {
			s[2+i] = 4
		}
	}
	return s
}

// like is a shape that broadcasts with s, or has something to do with it.
func (r random) like(s []int) []int {
	s = slices.Clone(s)
	switch r.IntN(8) {
	case 0: // broadcasts
		s = s[r.IntN(len(s)+1):]
		for i := range s {
			if r.IntN(3) == 0 {
				s[i] = 1
			}
		}
	case 1:
		slices.Reverse(s)
	case 2:
		s = r.shape()
	case 3: // elements, rows or channels
		if len(s) > 0 {
			s = s[min(1, len(s)-1):][:1]
		}
	case 4:
		s = s[:r.IntN(len(s)+1)]
	}
	return s
}

var randomDTypes = []types.DType{types.F32, types.F32, types.F32, types.F64, types.F16, types.BF16, types.I32, types.I64, types.I8, types.U8, types.I16, types.U32, types.Bool, types.C64, types.C128}

// dtype is one that the constraint allows, rarely another.
func (r random) dtype(is ops.Constraint) types.DType {
	for range 40 {
		if d := randomDTypes[r.IntN(len(randomDTypes))]; is.Allows(d) || r.IntN(30) == 0 {
			return d
		}
	}
	return types.F32
}

func (r random) attr(name string, k ops.AttrKind, rank int) any {
	small := func() int { return r.pick(0, 1, 2, 1, 3, -1, 0, 1, -2, 4) }
	switch k {
	case ops.Axis:
		if rank > 0 && r.IntN(20) > 0 {
			return r.IntN(2*rank) - rank
		}
		return small()
	case ops.Int:
		return small()
	case ops.Real:
		return []float64{0.5, 1, 2, 0.25, 3, 0, -1}[r.IntN(7)]
	case ops.Extended:
		return []float64{2, 1, 0, 3, math.Inf(1), math.Inf(-1), 0.5}[r.IntN(7)]
	case ops.Flag:
		return r.IntN(2) == 1
	case ops.DType:
		return randomDTypes[r.IntN(len(randomDTypes))]
	case ops.String:
		return ""
	case ops.Perm:
		return r.Perm(rank)
	case ops.Axes:
		return r.Perm(rank)[:r.IntN(rank+1)]
	}
	list := make([]int, r.pick(rank, rank, max(rank-2, 0), max(rank-1, 0), r.IntN(5)))
	for i := range list {
		switch name {
		case "window", "stride", "strides", "dilation", "sizes", "repeats", "lengths", "dims":
			list[i] = r.pick(1, 1, 2, 2, 3)
		case "padding", "low", "high", "interior", "starts", "more":
			list[i] = r.pick(0, 0, 1, 1, 2)
		case "limits":
			list[i] = r.pick(2, 3, 4)
		default:
			list[i] = small()
		}
	}
	return list
}

// call is a call of a random op, that few of its constraints refuse.
func (r random) call(all []*calls.Op) *randomCall {
	c := &randomCall{op: all[r.IntN(len(all))], attrs: calls.Values{}, seed: r.Uint64N(1 << 40), symbolic: r.IntN(2) == 0}
	shape := r.shape()
	of := map[string]types.DType{}
	for operand, o := range c.op.Operands {
		if o.Optional && r.IntN(2) == 0 {
			break
		}
		times := 1
		if o.Variadic {
			times = r.IntN(3)
		}
		for range times {
			d, ok := of[o.Like]
			switch {
			case ok && r.IntN(12) > 0:
			case indexes(c.op, operand):
				d = r.dtype(ops.Integer)
			case o.Name == "mask" || o.Name == "cond":
				d = types.Bool
			case o.Is == ops.Any && operand > 0 && len(c.dtypes) > 0 && r.IntN(12) > 0:
				d = c.dtypes[0]
			default:
				d = r.dtype(o.Is)
			}
			of[o.Name] = d
			s := shape
			if len(c.dtypes) > 0 && r.IntN(2) == 0 {
				s = r.like(shape)
			}
			c.dtypes, c.shapes, c.indices = append(c.dtypes, d), append(c.shapes, s), append(c.indices, indexes(c.op, operand))
		}
	}
	c.outside = slices.Contains(c.indices, true) && r.IntN(4) == 0
	for _, a := range c.op.Attrs {
		if a.Name == "bound" {
			continue
		}
		v := r.attr(a.Name, a.Kind, len(shape))
		if list, ok := v.([]int); ok && a.Name == "padding" && c.op.Package == "" {
			v = slices.Concat(list, list) // pairs, which Parse requires
		}
		c.attrs[a.Name] = v
	}
	return c
}

// alike reports how the results of a call differ.
func alike(c *randomCall, got, want calls.Response) error {
	if len(got.Results) != len(want.Results) {
		return fmt.Errorf("%d results, want %d", len(got.Results), len(want.Results))
	}
	for i := range got.Results {
		if err := close(got.Results[i], want.Results[i], c.slack); err != nil {
			return fmt.Errorf("result %d: %w", i, err)
		}
	}
	return nil
}

// units are the distances from 1 to the next number.
var units = map[types.DType]float64{types.F64: 0x1p-52, types.F32: 0x1p-23, types.F16: 0x1p-10, types.BF16: 0x1p-7}

// slack returns by how many units of the largest element results of a call may differ.
func (c *randomCall) slack(d types.DType) float64 {
	if d == types.F16 || d == types.BF16 {
		return 4 // computed in f32 and rounded, by few ops more than once
	}
	terms := 4 * 16              // 16 functions in a row, each within 4 units (docs/pytorch.md)
	for _, s := range c.shapes { // which may be added up in any order, with a unit for each
		n := 1
		for _, d := range sizes(s, mostSize) {
			n *= d
		}
		terms = max(terms, n)
	}
	if c.op.Package == "linalg" {
		terms *= 100 // the condition of the matrices
	}
	if d == types.F32 {
		terms = min(terms, 800) // 1e-4 of the largest element
	}
	return float64(terms)
}

// close reports how elements differ by more than slack units of the largest.
func close(got, want soa.View, slack func(d types.DType) float64) error {
	if !got.Type.Equal(want.Type) {
		return fmt.Errorf("is %v, want %v", got.Type, want.Type)
	}
	t := want.Type
	for _, v := range []*soa.View{&got, &want} {
		data, err := samples.Bytes(*v)
		if err != nil {
			return err
		}
		if *v, err = samples.FromBytes(t.Parts(), data); err != nil {
			return err
		}
	}
	unit, ok := units[want.Type.DType]
	part := unit * slack(want.Type.DType)
	largest := 1.0
	for i := range want.Type.Elements() {
		if ok {
			if x := math.Abs(samples.Float(want, i)); !math.IsInf(x, 0) && !math.IsNaN(x) {
				largest = max(largest, x)
			}
		}
	}
	for i := range want.Type.Elements() {
		if !ok {
			if samples.Bits(got, i) != samples.Bits(want, i) {
				return fmt.Errorf("element %d of %v is %#x, want %#x", i, t, samples.Bits(got, i), samples.Bits(want, i))
			}
			continue
		}
		x, y := samples.Float(got, i), samples.Float(want, i)
		if !(x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= part*largest) {
			return fmt.Errorf("element %d of %v is %v, want %v", i, t, x, y)
		}
	}
	return nil
}

// reason is an error's text without the line: the two runs record a call at different lines.
func reason(err error) string {
	if bad := (*lazy.OpError)(nil); errors.As(err, &bad) {
		e := *bad
		e.File, e.Line = "", 0
		return e.Error()
	}
	return fmt.Sprint(err)
}

// outcome is what a call gives: results of the types that were inferred, or an error.
type outcome struct {
	calls.Response
	err error
}

// run records calls in a step of a device and runs it; where that fails each call has a step.
func run(t *testing.T, dev *lazy.Device, all []*randomCall, n int) []outcome {
	tr := lazy.NewTrace(dev)
	tensors, outcomes := make([][]*lazy.Tensor, len(all)), make([]outcome, len(all))
	var roots []*lazy.Tensor
	for i, c := range all {
		tensors[i], outcomes[i].err = record(t, c, tr, c.inputs(n))
		roots = append(roots, tensors[i]...)
	}
	if err := cmp.Or(tr.MarkStep(roots...), tr.Wait(context.Background())); err != nil {
		if len(all) == 1 {
			return []outcome{{err: cmp.Or(outcomes[0].err, err)}}
		}
		for i, c := range all {
			outcomes[i] = run(t, dev, []*randomCall{c}, n)[0]
		}
		return outcomes
	}
	for i, c := range all {
		if outcomes[i].err == nil {
			outcomes[i].Results = values(t, c, tensors[i])
		}
	}
	return outcomes
}

// record calls the op; a panic is a failure that names the call.
func record(t *testing.T, c *randomCall, tr *lazy.Trace, in []soa.View) ([]*lazy.Tensor, error) {
	call := &calls.Call{Trace: tr, Values: c.attrs}
	for _, v := range in {
		call.X = append(call.X, lazy.FromView(tr, v))
	}
	return recorded(t, c, call)
}

func recorded(t *testing.T, c *randomCall, call *calls.Call) ([]*lazy.Tensor, error) {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%v: panic: %v", c, p)
			panic(p)
		}
	}()
	return c.op.Record(call)
}

// values reads tensors, and requires the types that were inferred.
func values(t *testing.T, c *randomCall, ys []*lazy.Tensor) []soa.View {
	var all []soa.View
	for i, y := range ys {
		v, err := y.Value()
		require.NoError(t, err, c)
		if !y.Type().Equal(v.Type) {
			t.Errorf("%v: result %d was inferred as %v and is %v", c, i, y.Type(), v.Type)
		}
		all = append(all, v)
	}
	return all
}

// runOpen runs a call compiled for all n, for some of them.
func runOpen(t *testing.T, dev *lazy.Device, c *randomCall, ns []int) []outcome {
	var last, refusal error // of the last time that the call is recorded, and of any
	f := lazy.Func(dev, func(tr *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
		var ys []*lazy.Tensor
		if ys, last = recorded(t, c, &calls.Call{Trace: tr, Values: c.attrs, X: xs}); last != nil {
			refusal = last
			return []*lazy.Tensor{lazy.Zeros(tr, lazy.F32)}
		}
		return ys
	})
	var inputs []lazy.Input
	for i, d := range c.dtypes {
		inputs = append(inputs, lazy.Input{Name: fmt.Sprintf("x%d", i), Type: types.Of(d, sizes(c.shapes[i], lazy.Dim("n", 1, mostSize))...)})
	}
	require.NoError(t, f.Inputs(inputs...), c)
	var all []outcome
	for _, n := range ns {
		var xs []*lazy.Tensor
		for _, v := range c.inputs(n) {
			xs = append(xs, lazy.FromView(dev, v))
		}
		ys, err := f.CallAll(context.Background(), xs...)
		o := outcome{err: last}
		if err != nil { // after a refusal the function may have been recorded for more sizes
			o.err = cmp.Or(refusal, err)
		}
		if o.err == nil {
			o.Results = values(t, c, ys)
		}
		all = append(all, o)
	}
	return all
}

// What is inferred for random calls is what comes out, and compiled they compute what the
// evaluator does, for sizes that are numbers and for such that are open. The calls that count are
// those that ran and were compared. Few others run beside them: calls that the op refuses, and calls
// with an index that does not exist.
func TestRandomCalls(t *testing.T) {
	trials.Sequential(t)
	open := func(name string, o ...lazy.Option) *lazy.Device {
		dev, err := lazy.Open(name, append(o, lazy.Logger(slog.New(slog.DiscardHandler)))...)
		require.NoError(t, err)
		t.Cleanup(func() { dev.Close() })
		return dev
	}
	exact, compiled, sized := open("eval", lazy.StaticShapes()), open("cpu", lazy.StaticShapes()), open("cpu")
	strict := open("eval", lazy.StrictTypes())
	const step = 20
	ran, refused, failed, outside, opened := 0, 0, 0, 0, 0
	allowed := map[string]int{}
	all := calls.All()
	least := max(trials.Soak(120, 100_000), step)
	began := time.Now()
	for batch := 0; ran < least || ran < max(5*least, 1000) && (outside == 0 || opened == 0); batch++ { // few calls are of these
		r := random{rand.New(rand.NewPCG(uint64(batch), 1))}
		var some []*randomCall
		for len(some) < step {
			c := r.call(all)
			if _, err := record(t, c, lazy.NewTrace(strict), c.inputs(3)); err != nil { // and no panic
				require.ErrorAs(t, err, new(*lazy.OpError), c)
			}
			if _, err := record(t, c, lazy.NewTrace(exact), c.inputs(3)); err != nil { // and no panic
				refuses(t, c, err)
				if refused < 1+ran/10 {
					_, got := record(t, c, lazy.NewTrace(compiled), c.inputs(3))
					require.Equal(t, reason(err), reason(got), c)
					refused++
				}
				continue
			}
			if c.refusesIndex(3) {
				want, got := run(t, exact, []*randomCall{c}, 3)[0], run(t, compiled, []*randomCall{c}, 3)[0]
				require.ErrorIs(t, want.err, lazy.ErrIndex, c)
				c.named(t, want.err)
				same(t, c, got, want)
				outside++
				continue
			}
			some = append(some, c)
		}
		want, got := run(t, exact, some, 3), run(t, compiled, some, 3)
		for i, c := range some {
			if !same(t, c, got[i], want[i]) {
				failed++
				continue
			}
			if ran++; ran%5000 == 0 {
				t.Logf("%d calls in %v", ran, time.Since(began).Round(time.Second))
			}
			allowed[c.op.GoName()]++
			if !c.symbolic || !slices.ContainsFunc(c.shapes, func(s []int) bool { return slices.Contains(s, symbol) }) {
				continue
			}
			ns := []int{3, 1 + r.IntN(mostSize)}
			if ns[1] == 3 && strings.HasPrefix(c.op.GoName(), "Random.") { // the same size again goes on in the stream
				ns = ns[:1]
			}
			for k, got := range runOpen(t, sized, c, ns) {
				if got.err != nil {
					refuses(t, c, got.err)
					continue
				}
				same(t, c, got, run(t, exact, []*randomCall{c}, ns[k])[0])
				opened++
			}
		}
	}
	require.Less(t, failed, 1+ran/20, "few calls are to fail when they run")
	require.Positive(t, outside, "some calls are to have an index that does not exist")
	require.Positive(t, opened, "some calls are to run with open sizes")
	t.Logf("%d calls ran and were compared, of %d of %d ops, and %d runs of them for open sizes; beside them %d were refused, %d had an index that does not exist, and %d failed when they ran",
		ran, len(allowed), len(all), opened, refused, outside, failed)
}

// refuses requires that err says what runs with no open size: the op itself, or the code of a backend for it.
func refuses(t *testing.T, c *randomCall, err error) {
	if !errors.As(err, new(*backends.FallbackError)) {
		require.ErrorAs(t, err, new(*lazy.OpError), c)
	}
}

// same requires that two backends give one outcome, and reports whether it is no error.
func same(t *testing.T, c *randomCall, got, want outcome) bool {
	if want.err != nil || got.err != nil {
		if reason(got.err) != reason(want.err) {
			t.Errorf("%v: compiled %v, evaluated %v", c, got.err, want.err)
		}
		return false
	}
	if err := alike(c, got.Response, want.Response); err != nil {
		t.Errorf("%v: %v", c, err)
	}
	return true
}
