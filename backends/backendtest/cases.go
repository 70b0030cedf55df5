package backendtest

import (
	"context"
	"embed"
	"fmt"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
)

// The archives have a file a program. It begins with lines
//
//	types: f32 bf16   the types that $T stands for, one test each; none: one test
//	arg: $T[2] 1 2    an argument, in order
//	want: $T[2] 3 4   a result, in order
//	ulp: 2            how far floats may be off; 0, that is equal bits, by default
//
// and after an empty line has the text, in which $T is the MLIR type.
//
//go:embed testdata
var archives embed.FS

type caseGroup struct {
	name  string
	cases []*programCase
}

type programCase struct {
	name       string
	text       string
	args, want []soa.View
	ulps       int64
}

func loadCases() ([]caseGroup, error) {
	entries, err := archives.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	var groups []caseGroup
	for _, e := range entries {
		data, err := archives.ReadFile(path.Join("testdata", e.Name()))
		if err != nil {
			return nil, err
		}
		g := caseGroup{name: strings.TrimSuffix(e.Name(), ".txtar")}
		for _, f := range txtar.Parse(data).Files {
			cases, err := parseCase(f.Name, string(f.Data))
			if err != nil {
				return nil, fmt.Errorf("testdata/%s: %s: %w", e.Name(), f.Name, err)
			}
			g.cases = append(g.cases, cases...)
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// parseCase returns the tests of one file, one a type.
func parseCase(name, data string) ([]*programCase, error) {
	head, text, ok := strings.Cut(data, "\n\n")
	if !ok {
		return nil, fmt.Errorf("no empty line before the program")
	}
	over := []string{""}
	for line := range strings.Lines(head) {
		if list, ok := strings.CutPrefix(strings.TrimSpace(line), "types:"); ok {
			over = strings.Fields(list)
		}
	}
	var cases []*programCase
	for _, typ := range over {
		c := &programCase{name: name, text: text}
		if typ != "" {
			d, ok := types.ParseDType(typ)
			if !ok {
				return nil, fmt.Errorf("no type %q", typ)
			}
			c.name += "/" + typ
			c.text = strings.ReplaceAll(text, "$T", mlir.ElementOf(d).String())
		}
		if err := c.header(strings.ReplaceAll(head, "$T", typ)); err != nil {
			return nil, err
		}
		cases = append(cases, c)
	}
	return cases, nil
}

func (c *programCase) header(head string) error {
	for line := range strings.Lines(head) {
		key, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch key {
		case "types":
		case "ulp":
			n, err := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
			if err != nil {
				return err
			}
			c.ulps = n
		case "arg", "want":
			v, err := parseValue(rest)
			if err != nil {
				return fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
			}
			if key == "arg" {
				c.args = append(c.args, v)
			} else {
				c.want = append(c.want, v)
			}
		default:
			return fmt.Errorf("unknown line %q", line)
		}
	}
	return nil
}

// test runs the program on dense arguments with results left to the backend,
// then on strided ones with strided results, and requires the same values.
func (c *programCase) test(t *testing.T, b backends.Backend) {
	e := compile(t, b, c.text)
	got := execute(t, e, c.args...)
	require.Len(t, got, len(c.want))
	for i, w := range c.want {
		require.Empty(t, difference(got[i], w, c.ulps), "result %d of\n%s", i, c.text)
	}
	call := &backends.Call{}
	for _, a := range c.args {
		s, _ := sparse(t, a.Type)
		require.NoError(t, soa.Copy(s, a))
		call.Args = append(call.Args, s)
	}
	var gaps []func() bool
	for _, w := range c.want {
		s, intact := sparse(t, w.Type)
		call.Results, gaps = append(call.Results, s), append(gaps, intact)
	}
	require.NoError(t, e.Execute(context.Background(), call))
	for i := range c.want {
		require.Empty(t, difference(call.Results[i], got[i], 0), "strided result %d against the dense one of\n%s", i, c.text)
		require.True(t, gaps[i](), "memory between the elements of result %d was written", i)
	}
}

// sparse returns a view whose elements lie in reverse order with gaps between
// them, and a function that reports whether the gaps are untouched.
func sparse(t testing.TB, typ types.Type) (soa.View, func() bool) {
	n, dense := typ.Elements(), soa.Dense(typ.Shape)
	strides := make([]int, len(dense))
	for i, s := range dense {
		strides[i] = -2 * s
	}
	switch typ.DType.Size() {
	case 1:
		return sparseOf[uint8](t, types.U8, typ, n, strides)
	case 2:
		return sparseOf[uint16](t, types.U16, typ, n, strides)
	case 4:
		return sparseOf[uint32](t, types.U32, typ, n, strides)
	}
	return sparseOf[uint64](t, types.U64, typ, n, strides)
}

// sparseOf makes one of Ts, whose dtype is bits.
func sparseOf[T uint8 | uint16 | uint32 | uint64](t testing.TB, bits types.DType, typ types.Type, n int, strides []int) (soa.View, func() bool) {
	mem := make([]T, 2*n+1)
	for i := range mem {
		mem[i] = 0x5a
	}
	v, err := soa.Strided(mem, types.Type{DType: bits, Shape: typ.Shape}, max(2*n-1, 0), strides)
	require.NoError(t, err)
	v.Type = typ
	return v, func() bool {
		for i := 0; i < len(mem); i += 2 {
			if mem[i] != 0x5a {
				return false
			}
		}
		return true
	}
}
