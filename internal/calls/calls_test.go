package calls_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference"
	"ltc/fft"
	"ltc/internal/calls"
	"ltc/internal/samples"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/nn"
	"ltc/soa"
)

// Every row with a method or a function can be called, and no two ops have one name.
func TestRegistryHasEveryRow(t *testing.T) {
	names := map[string]bool{}
	for _, o := range calls.All() {
		require.False(t, names[o.GoName()], "%s is there twice", o.GoName())
		names[o.GoName()] = true
		require.NotEmpty(t, o.Doc, o.GoName())
		found, err := calls.Find(o.Mnemonic())
		require.NoError(t, err)
		require.Equal(t, o, found)
	}
	for _, o := range ops.All() {
		if !o.Traits.Has(ops.Internal) {
			require.True(t, names[o.GoName()], o.GoName())
		}
	}
}

// Every function of tensors of a package can be called by name, but for in-place variants and
// those that only fix the number of axes. MultiHeadAttention has its weights in options,
// MaxPoolValues is a result of MaxPool, and frequencies are of no tensor.
func TestRegistryHasEveryFunction(t *testing.T) {
	without := regexp.MustCompile(`_$|^Conv(Transpose)?[123]d$|^MultiHeadAttention$|^MaxPoolValues$|^R?FFTFreq$`)
	for _, p := range ops.Packages {
		files, err := filepath.Glob(filepath.Join("../..", p.Name, "*.go"))
		require.NoError(t, err)
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && d.Name.IsExported() && !without.MatchString(d.Name.Name) {
					_, err := calls.Find(p.Name + "." + d.Name.Name)
					require.NoError(t, err)
				}
			}
		}
	}
}

// Every method that returns tensors can be called by name, but for in-place variants and those
// of variables, names and devices. The functions of package fft stand for FourierTransform, and
// Convert for AsType.
func TestRegistryHasEveryMethod(t *testing.T) {
	without := []string{"AsType", "Assign", "Donate", "FourierTransform", "Grad", "Init", "IntoView", "Keep", "Named", "RetainGrad", "SetRequiresGrad", "To"} // of variables, memory and devices
	tensor := reflect.TypeFor[*lazy.Tensor]()
	for i := range tensor.NumMethod() {
		m := tensor.Method(i)
		if n := m.Type.NumOut(); n == 0 || m.Type.Out(0) != tensor && m.Type.Out(0) != reflect.TypeFor[[]*lazy.Tensor]() || strings.HasSuffix(m.Name, "_") || slices.Contains(without, m.Name) {
			continue
		}
		_, err := calls.Find(m.Name)
		require.NoError(t, err)
	}
}

// Each group of constants that an attribute takes has a word for each of them.
func TestConstantsHaveWords(t *testing.T) {
	takes := map[string]string{"ReduceMean": "nn.KLDivLoss", "ModeNearest": "nn.Interpolate", "GridZeros": "nn.GridSample", "PadConstant": "nn.Pad", "BagSum": "nn.EmbeddingBag", "Backward": "fft.FFT", "Reflect": "fft.STFT"}
	for _, p := range ops.Packages {
		files, err := filepath.Glob(filepath.Join("../..", p.Name, "*.go"))
		require.NoError(t, err)
		for _, path := range files {
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range f.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok || g.Tok != token.CONST || len(g.Specs) == 1 || !g.Specs[0].(*ast.ValueSpec).Names[0].IsExported() {
					continue
				}
				first := g.Specs[0].(*ast.ValueSpec).Names[0].Name
				require.Contains(t, takes, first, "its attribute has no words")
				o, err := calls.Find(takes[first])
				require.NoError(t, err)
				require.Regexp(t, fmt.Sprintf(`: [a-z-]+(\|[a-z-]+){%d}[],}]`, len(g.Specs)-1), o.Signature(), "%s has %d constants", first, len(g.Specs))
				delete(takes, first)
			}
		}
	}
	require.Empty(t, takes)
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"sofmax":      `no op "sofmax": did you mean Softmax?`,
		"relu6x":      `no op "relu6x": did you mean nn.ReLU6?`,
		"pdist":       `no op "pdist": did you mean nn.PDist?`,
		"wibbledywub": `no op "wibbledywub"`,
		"Add_":        `no op "Add_", which writes into its receiver: call Add, and take the result`,
		"relu_":       `no op "relu_", which writes into its receiver: call ReLU, and take the result`,

		"max_pool2d_backward":     `no op "max_pool2d_backward": did you mean MaxPool?`,
		"window_hann":             `no op "window_hann": did you mean HannWindow?`,
		"MultiHeadAttnWeights":    `no op "MultiHeadAttnWeights": did you mean nn.MultiHeadAttention?`,
		"torch.linalg.eig_values": `no op "torch.linalg.eig_values": did you mean linalg.Eig?`,
	} {
		_, err := calls.Find(name)
		require.EqualError(t, err, want)
	}
}

// The texts of attributes are read by their kinds.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		op, attrs string
		want      calls.Values
		err       string
	}{
		{op: "Softmax", attrs: "axis=-1", want: calls.Values{"axis": -1}},
		{op: "Reshape", attrs: "dims=[2,-1]", want: calls.Values{"dims": []int{2, -1}}},
		{op: "Sum", want: calls.Values{}},
		{op: "Sort", attrs: "axis=0 descending=true", want: calls.Values{"axis": 0, "descending": true}},
		{op: "Convert", attrs: "dtype=bf16", want: calls.Values{"dtype": types.BF16}},
		{op: "MaximumScalar", attrs: "v=-1e3", want: calls.Values{"v": -1e3}},
		{op: "Conv", attrs: "layout=NHWC,OIHW->NHWC", want: calls.Values{"layout": "NHWC,OIHW->NHWC"}},

		{op: "fft.FFT", attrs: "norm=ortho", want: calls.Values{"norm": int(fft.Ortho)}},
		{op: "fft.IRFFTN", attrs: "norm=Forward axes=0", want: calls.Values{"norm": int(fft.Forward), "axes": []int{0}}},
		{op: "fft.FFT", attrs: "norm=2", want: calls.Values{"norm": 2}},
		{op: "fft.FFT", attrs: "norm=unitary", err: `fft.FFT: attribute norm is "unitary": want backward, ortho or forward`},
		{op: "nn.MSELoss", attrs: "reduction=none", want: calls.Values{"reduction": nn.ReduceNone}},
		{op: "nn.KLDivLoss", attrs: "reduction=batchmean", want: calls.Values{"reduction": nn.ReduceBatchMean}},
		{op: "nn.CrossEntropy", attrs: "reduction=batchmean", err: `nn.CrossEntropy: attribute reduction is "batchmean": want mean, sum or none`},
		{op: "nn.Interpolate", attrs: "mode=nearest-exact", want: calls.Values{"mode": nn.ModeNearestExact}},
		{op: "nn.GridSample", attrs: "mode=cubic padding=reflection alignCorners=true", want: calls.Values{"mode": nn.ModeCubic, "padding": nn.GridReflect, "alignCorners": true}},
		{op: "nn.Pad", attrs: "padding=1,1 mode=circular", want: calls.Values{"padding": []int{1, 1}, "mode": nn.PadCircular}},
		{op: "nn.EmbeddingBag", attrs: "mode=max", want: calls.Values{"mode": nn.BagMax}},

		{op: "Softmax", err: "Softmax(x) {axis: axis} needs the attribute axis (axis)"},
		{op: "Softmax", attrs: "axis=1.5", err: `Softmax: attribute axis is "1.5": want an integer`},
		{op: "Softmax", attrs: "dim=1", err: `Softmax has no attribute "dim": it has axis`},
		{op: "Abs", attrs: "dim=1", err: `Abs has no attribute "dim": it has none`},
		{op: "Sum", attrs: "axes=[0", err: `Sum: attribute axes is "[0": want integers such as 2,-1`},
		{op: "Convert", attrs: "dtype=f33", err: `Convert: attribute dtype is "f33": want a dtype such as f32`},
		{op: "Sort", attrs: "axis=0 descending=maybe", err: `Sort: attribute descending is "maybe": want true or false`},
		{op: "AddScalar", attrs: "v=one", err: `AddScalar: attribute v is "one": want a number`},
		{op: "AddScalar", attrs: "v=9007199254740993", err: `AddScalar: attribute v is "9007199254740993": want a number that float64 has; give others as a tensor`},
		{op: "AddScalar", attrs: "v=18446744073709551615", err: `AddScalar: attribute v is "18446744073709551615": want a number that float64 has; give others as a tensor`},
		{op: "AddScalar", attrs: "v=18446744073709551616", want: calls.Values{"v": 0x1p64}},
		{op: "AddScalar", attrs: "v=1e400", err: `AddScalar: attribute v is "1e400": want a number`},
		{op: "Conv", attrs: "padding=1,1,1", err: "Conv: padding has 3 integers: want two for each axis, before and after"},
	} {
		o, err := calls.Find(c.op)
		require.NoError(t, err)
		texts := map[string]string{}
		for _, s := range strings.Fields(c.attrs) {
			name, text, _ := strings.Cut(s, "=")
			texts[name] = text
		}
		got, err := o.Parse(texts)
		if c.err != "" {
			require.EqualError(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

// A call has as many tensors as the op takes.
func TestNumberOfTensors(t *testing.T) {
	dev := open(t)
	for _, c := range []struct {
		op   string
		n    int
		want string
	}{
		{"Abs", 0, "Abs(x) takes 1 tensor, got 0"},
		{"Add", 3, "Add(x, y) takes 2 tensors, got 3"},
		{"Attention", 2, "Attention(q, k, v, [mask]) {[causal: flag], [scale: finite number]} takes 3 or 4 tensors, got 2"},
		{"Attention", 5, "Attention(q, k, v, [mask]) {[causal: flag], [scale: finite number]} takes 3 or 4 tensors, got 5"},
		{"Concatenate", 0, "Concatenate(x, more…) {axis: axis} takes 1 tensor or more, got 0"},
		{"Iota", 1, "Iota() {dtype: dtype, axis: integer, [dims: integers]} takes 0 tensors, got 1"},
	} {
		o, err := calls.Find(c.op)
		require.NoError(t, err)
		_, err = calls.Run(dev, calls.Request{Op: o, Inputs: slices.Repeat([]soa.View{soa.Make(types.Of(types.F32, 2))}, c.n)})
		require.EqualError(t, err, c.want)
	}
}

// Results and gradients are those of the method; an input that is not floating point has no
// gradient, and the cotangent is that of the results.
func TestRun(t *testing.T) {
	dev := open(t)
	o, err := calls.Find("IndexSelect")
	require.NoError(t, err)
	x, err := soa.Borrow([]float32{1, 2, 3}, types.Of(types.F32, 3))
	require.NoError(t, err)
	indices, err := soa.Borrow([]int32{2, 0}, types.Of(types.I32, 2))
	require.NoError(t, err)
	ct, err := soa.Borrow([]float32{10, 20}, types.Of(types.F32, 2))
	require.NoError(t, err)
	for _, c := range []struct {
		cotangents []soa.View
		want       string
	}{
		{nil, "[3 1] [1 0 1]"},
		{[]soa.View{ct}, "[3 1] [20  0 10]"},
	} {
		got, err := calls.Run(dev, calls.Request{Op: o, Attrs: calls.Values{"axis": 0}, Inputs: []soa.View{x, indices}, Gradients: true, Cotangents: c.cotangents})
		require.NoError(t, err)
		require.True(t, got.Gradients[1].IsZero())
		y, err := samples.Format(got.Results[0])
		require.NoError(t, err)
		g, err := samples.Format(got.Gradients[0])
		require.NoError(t, err)
		require.Equal(t, c.want, fmt.Sprint(y, " ", g))
	}
	_, err = calls.Run(dev, calls.Request{Op: o, Attrs: calls.Values{"axis": 0}, Inputs: []soa.View{x, indices}, Gradients: true, Cotangents: []soa.View{x}})
	require.EqualError(t, err, "cotangent 0 has the shape [3], must have that of the result, [2]")
	_, err = calls.Run(dev, calls.Request{Op: o, Attrs: calls.Values{"axis": 1}, Inputs: []soa.View{x, indices}})
	require.EqualError(t, err, "index_select(f32[3], i32[2]): axis 1 is out of range: a tensor of shape [3] has axis 0 alone (index_select_c3)")
}

// The second derivatives of x y are those of the weighted sum of its gradients, ct y and ct x.
func TestSecondDerivatives(t *testing.T) {
	dev := open(t)
	o, err := calls.Find("Mul")
	require.NoError(t, err)
	number := func(x float64) soa.View {
		v, err := soa.Borrow([]float64{x}, types.Of(types.F64))
		require.NoError(t, err)
		return v
	}
	r := calls.Request{Op: o, Inputs: []soa.View{number(3), number(5)}, Gradients: true, Second: true}
	for _, c := range []struct {
		cotangents, weights []soa.View
		want                string
	}{
		{nil, nil, "gradients 5 3, seconds 1 1, tangents"},
		{[]soa.View{number(2)}, []soa.View{number(10), number(100)}, "gradients 10 6, seconds 200 20, tangents 350"},
	} {
		r.Cotangents, r.Weights = c.cotangents, c.weights
		got, err := calls.Run(dev, r)
		require.NoError(t, err)
		text := "gradients"
		for _, part := range []struct {
			name  string
			views []soa.View
		}{{"", got.Gradients}, {", seconds", got.Seconds}, {", tangents", got.Tangents}} {
			text += part.name
			for _, v := range part.views {
				text += fmt.Sprint(" ", samples.Float(v, 0))
			}
		}
		require.Equal(t, c.want, text)
	}
	r.Weights = r.Weights[:1]
	_, err = calls.Run(dev, r)
	require.EqualError(t, err, "got 1 weight, fewer than there are floating-point gradients")
}

func open(t *testing.T) *lazy.Device {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	t.Cleanup(func() { dev.Close() })
	return dev
}
