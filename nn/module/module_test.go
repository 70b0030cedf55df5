package module_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference"
	"ltc/lazy"
	"ltc/nn/module"
)

// scale multiplies each feature by a number.
type scale struct {
	module.Base
	Features int
	Gamma    *lazy.Tensor
	Seen     *lazy.Tensor `module:",buffer"`
}

func (s *scale) Build(b *module.Builder) {
	if s.Features <= 0 {
		b.Errorf("scale.Features is %d: give the number of features", s.Features)
		return
	}
	b.Variable(&s.Gamma, lazy.Constant(2), s.Features)
	b.VariableOf(&s.Seen, lazy.I64, nil)
}

func (s *scale) Forward(x *lazy.Tensor) *lazy.Tensor {
	return s.Call(func() *lazy.Tensor { return x.Mul(s.Gamma) }, x)
}

type options struct{ Stride, Pad int }

type inner struct {
	Options options
	First   scale
	Then    []*scale
	Named   map[string]*scale
	Any     any
}

type net struct {
	inner
	LayerNorm scale `module:"LayerNorm"`
	FC1       *scale
	Tied      *lazy.Tensor
	Teacher   *scale `module:"-"`
	last      int
}

func (n *net) Build(b *module.Builder) { b.Share(&n.Tied, &n.First.Gamma) }

func newNet() *net {
	s := func() *scale { return &scale{Features: 2} }
	return &net{
		inner:     inner{First: *s(), Then: []*scale{s(), s()}, Named: map[string]*scale{"b": s(), "a": s()}, Any: s()},
		LayerNorm: *s(), FC1: s(), Teacher: s(),
	}
}

func open(t *testing.T) *lazy.Device {
	t.Helper()
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	return dev
}

func names(net any) []string {
	var all []string
	for name := range module.State(net) {
		all = append(all, name)
	}
	return all
}

func TestNamesAreThoseOfPyTorch(t *testing.T) {
	n := newNet()
	require.NoError(t, module.Build(n, open(t)))
	require.Equal(t, []string{
		"tied",
		"first.gamma", "first.seen", "then.0.gamma", "then.0.seen", "then.1.gamma", "then.1.seen",
		"named.a.gamma", "named.a.seen", "named.b.gamma", "named.b.seen", "any.gamma", "any.seen",
		"LayerNorm.gamma", "LayerNorm.seen", "fc1.gamma", "fc1.seen",
	}, names(n))
	require.Equal(t, "named.a.gamma", n.Named["a"].Gamma.Name())
	require.Same(t, n.First.Gamma, n.Tied)
	require.Nil(t, n.Teacher.Gamma)
	require.Len(t, module.Parameters(n), 8) // that of first once
	require.Len(t, module.Buffers(n), 8)
	paths := maps.Collect(module.Modules(n))
	require.Same(t, n, paths[""])
	require.Same(t, n.FC1, paths["fc1"])
	require.NotContains(t, paths, "options")
	require.Equal(t, "then.1", n.Then[1].Path())
}

func TestFreezeAndModes(t *testing.T) {
	n := newNet()
	require.NoError(t, module.Build(n, open(t), module.DType(lazy.BF16)))
	require.Equal(t, lazy.BF16, n.FC1.Gamma.DType())
	require.NoError(t, module.Freeze(n.FC1))
	require.Len(t, module.Trainable(n), 7)
	require.NoError(t, module.Unfreeze(n))
	require.Len(t, module.Trainable(n), 8)
	require.False(t, n.FC1.Seen.RequiresGrad())
	require.NoError(t, module.Eval(n))
	require.False(t, n.Then[1].Training())
	require.NoError(t, module.Train(n.Then[1]))
	require.True(t, n.Then[1].Training())
	require.False(t, n.Then[0].Training())
	for _, f := range []func(any) error{module.Train, module.Eval, module.Freeze, module.Unfreeze} {
		require.ErrorContains(t, f(n.LayerNorm), "module: module_test.scale is not a module: give a pointer to a struct")
	}
}

// maker makes its layers when it is built.
type maker struct {
	module.Base
	Made []*scale
}

func (m *maker) Build(*module.Builder) {
	m.Made = append(m.Made, &scale{Features: 1})
}

// Layers that Build makes have the mode of the module around them.
func TestEvalBeforeBuild(t *testing.T) {
	n := &struct{ Maker maker }{}
	require.NoError(t, module.Eval(n))
	require.NoError(t, module.Build(n, open(t)))
	require.False(t, n.Maker.Made[0].Training())
}

// A network belongs to the device that it was built on.
func TestBuildOnAnotherDevice(t *testing.T) {
	s := &scale{Features: 1}
	require.NoError(t, module.Build(s, open(t)))
	require.ErrorContains(t, module.Build(s, open(t)), "module gamma: it is a variable of another device, opened at module_test.go:")
}

func TestHooks(t *testing.T) {
	dev := open(t)
	n := newNet()
	tr := lazy.NewTrace(dev)
	tr.ImplicitSyncs(lazy.AllowSyncs)
	x := lazy.From(tr, []float32{1, 10})
	require.ErrorContains(t, n.FC1.Forward(x).Err(), "module.forward(f32[2]): the layer is not built: call module.Build")
	require.ErrorIs(t, n.FC1.Forward(x).Err(), lazy.ErrUsage)
	require.ErrorIs(t, module.Refuse(x, "x is %v", x.Type()).Err(), lazy.ErrType)
	y := lazy.From(lazy.NewTrace(dev), []float32{1, 10})
	require.ErrorContains(t, n.LayerNorm.Forward(y).Err(), "the layer is not built") // and each time again
	require.NoError(t, module.Build(n, dev))
	var seen []string
	remove, err := module.OnForward(n, func(c module.Call) *lazy.Tensor {
		seen = append(seen, c.Path)
		if c.Path == "fc1" {
			return c.Out.Add(c.In[0])
		}
		return nil
	})
	require.NoError(t, err)
	got, err := lazy.ToSlice[float32](n.LayerNorm.Forward(n.FC1.Forward(x)))
	require.NoError(t, err)
	require.Equal(t, []float32{6, 60}, got)
	require.Equal(t, []string{"fc1", "LayerNorm"}, seen)
	remove()
	for range 2 { // a hook may remove itself, and others after it
		var removes [3]func()
		for i := range removes {
			removes[i], err = module.OnForward(n.FC1, func(module.Call) *lazy.Tensor {
				removes[i]()
				removes[2]()
				return nil
			})
			require.NoError(t, err)
		}
		require.NoError(t, n.FC1.Forward(x).Err())
		removes[1]()
	}
	got, err = lazy.ToSlice[float32](n.FC1.Forward(x))
	require.NoError(t, err)
	require.Equal(t, []float32{2, 20}, got)
	_, err = module.OnForward(n, nil)
	require.ErrorContains(t, err, "the hook is nil")
	_, err = module.OnForward(&struct{}{}, func(module.Call) *lazy.Tensor { return nil })
	require.ErrorContains(t, err, "embeds module.Base")
}

// Scopes are paths, those of a module within another without the part that they share.
func TestScopes(t *testing.T) {
	dev := open(t)
	type outer struct {
		module.Base
		Body struct{ Part scale }
	}
	n := &outer{}
	n.Body.Part.Features = 1
	require.NoError(t, module.Build(&struct{ Net *outer }{n}, dev))
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float32{1})
	y := n.Call(func() *lazy.Tensor { return n.Body.Part.Forward(x) }, x)
	text, err := tr.Dump(lazy.FormatIR, y)
	require.NoError(t, err)
	require.Contains(t, text, "net.0/body.part.0")
}

type loop struct {
	Next  *loop
	Gamma *lazy.Tensor
}

type tensors []*lazy.Tensor

// twice has a variable under a name that another one has by its path.
type twice struct {
	A *lazy.Tensor `module:"b.gamma"`
	B scale
}

type sharer struct{ A, B *lazy.Tensor }

func (s *sharer) Build(b *module.Builder) { b.Share(&s.A, nil) }

type strange struct{ at *lazy.Tensor }

func (s *strange) Build(b *module.Builder) { b.Variable(&s.at, nil, 2) }

func TestMistakes(t *testing.T) {
	dev := open(t)
	around := &loop{}
	around.Next = &loop{Next: around}
	itself := []any{&scale{Features: 1}, nil}
	itself[1] = itself
	var none *net
	for _, c := range []struct {
		net  any
		want string
	}{
		{3, "module: int is not a module: give a pointer to a struct, such as &Net{…}, or a slice or map of modules"},
		{net{}, "module: module_test.net is not a module"},
		{none, "module: *module_test.net is not a module"},
		{itself, "module 1: a []interface {} contains itself"},
		{around, "module next.next: a module_test.loop contains itself"},
		{&struct {
			A scale
			B scale `module:"a"`
		}{}, "module a: scale.Features is 0: give the number of features\nmodule a: scale.Features is 0"},
		{&struct {
			A *lazy.Tensor
			B *lazy.Tensor `module:"a"`
		}{}, "module a: two fields of struct {"},
		{&struct{ a *lazy.Tensor }{}, "field a of struct { a *lazy.Tensor } has parameters and is unexported: export it, or leave it out with the tag `module:\"-\"`"},
		{&struct{ M map[string]scale }{map[string]scale{"x": {}}}, "module m.x: a module_test.scale is held by value where it cannot be changed: hold a pointer to it"},
		{&struct{ S any }{scale{}}, "module s: a module_test.scale is held by value"},
		{&struct {
			w *lazy.Tensor `module:"w"`
		}{}, "field w of struct"},
		{&struct{ seq []any }{[]any{&scale{Features: 1}}}, "field seq of struct { seq []interface {} } has parameters and is unexported"},
		{&struct{ one any }{&scale{Features: 1}}, "field one of struct { one interface {} } has parameters and is unexported"},
		{&struct{ M map[any]*scale }{map[any]*scale{1: {Features: 1}, "1": {Features: 1}}}, "module m.1: two keys of the map print alike"},
		{&struct{ tensors }{tensors{nil}}, "a module_test.tensors is in an unexported field"},
		{&twice{B: scale{Features: 1}}, "module b.gamma: two variables have this name: give one field another name with a tag"},
		{&sharer{}, "module: Share got a nil pointer"},
		{&strange{}, "Variable got a pointer that is not to an exported field of module_test.strange"},
	} {
		require.ErrorContains(t, module.Build(c.net, dev), c.want)
	}
	require.ErrorContains(t, module.Build(newNet(), nil), "the device is nil")
	require.ErrorContains(t, module.Build(newNet(), dev, module.DType(lazy.I32)), "parameters of i32 have no gradients")
	require.Empty(t, names(around))
	require.Error(t, module.Check(around))
}

func TestSnake(t *testing.T) {
	n := &struct{ RunningMean, FC1, QKVProj, W1, LayerNorm2, InProjWeight, X *lazy.Tensor }{}
	require.NoError(t, module.Build(n, open(t)))
	for _, p := range []**lazy.Tensor{&n.RunningMean, &n.FC1, &n.QKVProj, &n.W1, &n.LayerNorm2, &n.InProjWeight, &n.X} {
		*p = open(t).Variable("v", lazy.F32)
	}
	require.Equal(t, []string{"running_mean", "fc1", "qkv_proj", "w1", "layer_norm2", "in_proj_weight", "x"}, names(n))
}

func TestSummary(t *testing.T) {
	dev := open(t)
	type stack struct {
		module.Base
		First, Second scale
	}
	n := &struct{ Body *stack }{&stack{First: scale{Features: 1000}, Second: scale{Features: 1000}}}
	require.NoError(t, module.Build(n, dev))
	require.NoError(t, module.Freeze(&n.Body.First))
	got, err := module.Summary(n)
	require.NoError(t, err)
	require.Equal(t, `module       type                                parameters
(all)        struct { Body *module_test.stack }  
body         module_test.stack                   
body.first   module_test.scale                   1,000
body.second  module_test.scale                   1,000
2,000 parameters, 1,000 of them trained; buffers of 2 numbers; 7.8 KiB
`, got)
	x := lazy.From(lazy.NewTrace(dev), make([]float32, 2000), 2, 1000)
	got, err = module.Summary(&n.Body.Second, x)
	require.NoError(t, err)
	require.Contains(t, got, "(all)   module_test.scale  f32[2,1000]  1,000")
	host, err := module.Summary(&n.Body.Second, lazy.From(dev, make([]float32, 2000), 2, 1000)) // in no trace
	require.NoError(t, err)
	require.Equal(t, got, host)
	_, err = module.Summary(&n.Body.Second, x, x)
	require.ErrorContains(t, err, "Forward of *module_test.scale is func(*lazy.Tensor) *lazy.Tensor: it cannot be called with 2 tensors alone")
	_, err = module.Summary(n, x)
	require.ErrorContains(t, err, "has no method Forward")
	_, err = module.Summary(&n.Body.Second, x.Reshape(4, 500))
	require.ErrorContains(t, err, "mul(f32[4,500], f32[1000])")
}

// counter counts the calls of its Forward in a buffer.
type counter struct {
	module.Base
	Count *lazy.Tensor `module:",buffer"`
}

func (c *counter) Build(b *module.Builder) { b.Variable(&c.Count, nil) }

func (c *counter) Forward(x *lazy.Tensor) *lazy.Tensor {
	return c.Call(func() *lazy.Tensor {
		c.Count.Assign(x.Trace().Read(c.Count).AddScalar(1))
		return x.AddScalar(1)
	}, x)
}

// A summary assigns nothing, and records nothing in the trace of its operands.
func TestSummaryAssignsNothing(t *testing.T) {
	dev := open(t)
	n := &counter{}
	require.NoError(t, module.Build(n, dev))
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, make([]float32, 3))
	got, err := module.Summary(n, x)
	require.NoError(t, err)
	require.Contains(t, got, "f32[3]")
	require.NoError(t, tr.MarkStep())
	count, err := lazy.ToSlice[float32](n.Count)
	require.NoError(t, err)
	require.Equal(t, []float32{0}, count)
	n.Forward(lazy.From(tr, make([]float32, 3)))
	require.NoError(t, tr.MarkStep())
	count, err = lazy.ToSlice[float32](n.Count)
	require.NoError(t, err)
	require.Equal(t, []float32{1}, count)
}

// Fields may share with fields that share, in any order.
func TestShareOfShares(t *testing.T) {
	n := &chain{C: scale{Features: 2}}
	require.NoError(t, module.Build(n, open(t)))
	require.Same(t, n.C.Gamma, n.A)
	require.Same(t, n.C.Gamma, n.B)
}

type chain struct {
	A, B *lazy.Tensor
	C    scale
}

func (c *chain) Build(b *module.Builder) {
	b.Share(&c.A, &c.B)
	b.Share(&c.B, &c.C.Gamma)
}

// A layer that was built alone has its place in the network that is built next.
func TestPathInALargerNetwork(t *testing.T) {
	dev := open(t)
	s := &scale{Features: 1}
	require.NoError(t, module.Build(s, dev))
	n := []*scale{{Features: 1}, s}
	require.NoError(t, module.Build(n, dev, nil))
	require.Equal(t, "1", s.Path())
}
