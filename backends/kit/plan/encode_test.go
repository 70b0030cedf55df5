package plan

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
	"ltc/mlir"
)

// notWritten are the fields that [Program.Encode] leaves out.
var notWritten = map[string]bool{"Program.Logger": true, "Program.From": true, "Program.Decoded": true}

// filler sets all that a value has to other values than zero.
type filler struct {
	n     int
	depth int
}

func (f *filler) fill(t *testing.T, v reflect.Value) {
	t.Helper()
	f.n++
	switch v.Interface().(type) {
	case *kernel.Kernel:
		k, err := kernel.Parse(fmt.Sprintf("kernel k%d(out y0: f32[]) {\n  stage {\n    %%0 = constant 1.0 : f32\n    store y0[], %%0\n  }\n}\n", f.n))
		require.NoError(t, err)
		v.Set(reflect.ValueOf(k))
		return
	case Work:
		if v.Kind() != reflect.Interface {
			break
		}
		return // of each kind there is a step
	case types.DType:
		v.Set(reflect.ValueOf(types.F32))
		return
	}
	if v.Type() == reflect.TypeFor[mlir.Location]() {
		v.Set(reflect.ValueOf(mlir.FileLoc{File: "a", Line: f.n, Col: 2}))
		return
	}
	switch v.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.n%100 + 1))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(f.n%3 + 1))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(fmt.Sprint("s", f.n))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			f.fill(t, v.Index(i))
		}
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*Program]() && f.depth > 1 {
			v.Set(reflect.ValueOf(&Program{Signature: new(backends.Signature)}))
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		f.depth++
		f.fill(t, v.Elem())
		f.depth--
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Name() + "." + v.Type().Field(i).Name; notWritten[name] || name == "Program.Steps" {
				continue
			}
			f.fill(t, v.Field(i))
			require.False(t, v.Field(i).IsZero() && v.Field(i).Kind() != reflect.Interface, "%v.%s", v.Type(), v.Type().Field(i).Name)
		}
	default:
		t.Fatalf("the test knows nothing of %v", v.Type())
	}
}

// No field is left out. A field that is new has to be written, or named in notWritten.
func TestFieldsAreWritten(t *testing.T) {
	f := new(filler)
	var p Program
	f.fill(t, reflect.ValueOf(&p).Elem())
	for _, w := range []Work{new(Launch), new(Sort), new(Triangular), new(Loop), new(Branch)} {
		f.fill(t, reflect.ValueOf(w).Elem())
		p.Steps = append(p.Steps, Step{Work: w, Ordinal: f.n, Loc: mlir.FileLoc{File: "b", Line: f.n}})
	}
	c := &coder{}
	c.program(&p)
	require.NoError(t, c.err)
	var q Program
	d := &coder{data: c.data, reading: true}
	d.program(&q)
	require.NoError(t, d.err)
	require.Empty(t, d.data)
	q.Each(func(s *Step) {
		for _, r := range s.Regions() {
			r.From = nil // of what is read
		}
	})
	require.Equal(t, p, q)
}

// A product with a quantized matrix is written, and read as it was; other composites are not.
func TestCompositeIsWritten(t *testing.T) {
	of := func(name string, offset mlir.Attribute) *Composite {
		x, matrix, y := types.Of(types.F32, 2, 5, 32), types.Of(types.U32, 3, 5, 72), types.Of(types.F32, 2, 3, 16)
		return &Composite{Name: name, Attrs: mlir.Dict{{Name: "offset", Value: offset}}, Args: []Dense{{3, x, RowMajor(x.Shape)}, {4, matrix, RowMajor(matrix.Shape)}}, Outs: []Dense{{5, y, RowMajor(y.Shape)}}, Work: []ValueID{7}}
	}
	c := &coder{}
	var w, read Work = of(kernel.BlockDotName, mlir.I64Attr(-8)), nil
	c.work(&w, 0)
	require.NoError(t, c.err)
	d := &coder{data: c.data, reading: true}
	d.work(&read, 0)
	require.NoError(t, d.err)
	require.Equal(t, w, read)
	for _, w := range []Work{of("a.b", mlir.I64Attr(-8)), of(kernel.BlockDotName, mlir.I64Attr(1000)), of(kernel.BlockDotName, mlir.StringAttr("x"))} {
		c := &coder{}
		c.work(&w, 0)
		require.ErrorIs(t, c.err, errNotBytes)
		require.ErrorIs(t, new(Program).wholeWork(w, false), errOfAnother)
	}
}

// What is nested deeper than the stack allows is an error.
func TestDecodeDeep(t *testing.T) {
	data, ok := (&Program{Signature: new(backends.Signature), Steps: []Step{}}).Encode()
	require.True(t, ok)
	c := &coder{data: data[:len(data)-1]}
	c.count(1)
	ordinal, kind := 0, nameLoc
	integer(c, &ordinal)
	for range 1 << 21 {
		integer(c, &kind)
		c.count(0)
	}
	_, err := Decode(c.data, nil, nil)
	require.ErrorContains(t, err, "deep")
}
