package calls_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/calls"
	"ltc/internal/samples"
	"ltc/internal/test/golden"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// badCall is a call of a golden: Split f32[2,3] axis=2 size=1.
type badCall struct {
	op     *calls.Op
	values calls.Values
	types  []types.Type
	views  []soa.View // of these types; zeros if nil
}

func parseBadCall(t *testing.T, line string) badCall {
	fields := strings.Fields(line)
	op, err := calls.Find(fields[0])
	require.NoError(t, err, line)
	c := badCall{op: op}
	attrs := map[string]string{}
	for _, f := range fields[1:] {
		if name, value, ok := strings.Cut(f, "="); ok {
			attrs[name] = value
			continue
		}
		typ, err := types.ParseType(f)
		require.NoError(t, err, line)
		c.types = append(c.types, typ)
	}
	c.values, err = op.Parse(attrs)
	require.NoError(t, err, line)
	return c
}

// record records the call in a trace of the device, and returns its error and the line.
func (c *badCall) record(dev *lazy.Device) (err error, line int) {
	call := &calls.Call{Trace: lazy.NewTrace(dev), Values: c.values}
	_, err, line = c.recorded(call)
	return err, line
}

func (c *badCall) recorded(call *calls.Call) (ys []*lazy.Tensor, err error, line int) {
	for i, typ := range c.types {
		v := soa.Make(typ)
		if c.views != nil {
			v = c.views[i]
		}
		call.X = append(call.X, lazy.FromView(call.Trace, v))
	}
	_, _, line, _ = runtime.Caller(0)
	ys, err = c.op.Record(call) // the line after
	return ys, err, line + 1
}

// stepped is what a step of a call gives.
type stepped struct {
	recorded, err error
	line          int
	result        string // of the first result, if there is no error
}

// step records the call in a step of the device, and runs it.
func (c *badCall) step(dev *lazy.Device) (s stepped) {
	var ys []*lazy.Tensor
	if ys, s.recorded, s.line = c.recorded(&calls.Call{Trace: lazy.NewTrace(dev), Values: c.values}); s.recorded != nil {
		return s
	}
	v, err := ys[0].Value()
	if s.err = err; err != nil {
		return s
	}
	for i := range v.Type.Elements() {
		if v.Type.DType.IsFloat() {
			s.result += fmt.Sprintf(" %.4g", samples.Float(v, i))
		} else {
			s.result += fmt.Sprintf(" %d", int64(samples.Bits(v, i)))
		}
	}
	s.result = v.Type.String() + ":" + s.result
	return s
}

// Numbers that an op takes only within bounds of its own are an error when the step has run, at the user's line. A
// tensor of a golden is written with its values: i32[2]:6,5.
func TestErrorsOfValues(t *testing.T) {
	path := filepath.Join("testdata", "values.txt")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var all [2]strings.Builder
	for i, name := range []string{"eval", "cpu"} {
		dev, err := lazy.Open(name)
		require.NoError(t, err)
		t.Cleanup(func() { dev.Close() })
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "\t") {
				continue // the outcome of the call before
			}
			line = strings.TrimSpace(line)
			var values []string
			call := regexp.MustCompile(`:\S*`).ReplaceAllStringFunc(line, func(s string) string {
				values = append(values, s[1:])
				return ""
			})
			c := parseBadCall(t, call)
			require.Len(t, values, len(c.types), line)
			for k, typ := range c.types {
				v := soa.Make(typ)
				numbers := strings.FieldsFunc(values[k], func(r rune) bool { return r == ',' })
				require.Len(t, numbers, typ.Elements(), line)
				for e, x := range numbers {
					f, err := strconv.ParseFloat(x, 64)
					require.NoError(t, err, line)
					samples.Set(v, e, f)
				}
				c.views = append(c.views, v)
			}
			at := c.step(dev)
			require.NoError(t, at.recorded, line)
			if at.err == nil {
				fmt.Fprintf(&all[i], "%s\n\t%s\n", line, at.result)
				continue
			}
			e, ok := errors.AsType[*lazy.OpError](at.err)
			require.True(t, ok, "%s: %v", line, at.err)
			require.ErrorIs(t, e, lazy.ErrIndex, line)
			if e.Op != strings.TrimPrefix(c.op.Mnemonic(), "Random.") || fmt.Sprint(e.Operands) != fmt.Sprint(c.types) || filepath.Base(e.File) != "errors_test.go" || e.Line != at.line {
				t.Errorf("%s: %v is to be of the op %s on %v, of the line %d", line, e, c.op.Mnemonic(), c.types, at.line)
			}
			fmt.Fprintf(&all[i], "%s\n\t%s\n", line, reason(e))
		}
	}
	require.Equal(t, all[0].String(), all[1].String())
	golden.Is(t, path, all[0].String())
}

// free are the ops written by hand that no call of the registry breaks a constraint of.
var free = []string{"AtLeast1D", "AtLeast2D", "AtLeast3D", "Clone", "Detach"}

// A bad call of an op that is written by hand is an error with the op that was called, the types of its
// operands, the label of the rule and the user's line. Each demand of ops.Written has such a golden.
func TestErrorsOfOpsWrittenByHand(t *testing.T) {
	path := filepath.Join("testdata", "errors.txt")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	dev := open(t)
	strict, err := lazy.Open("eval", lazy.Strict())
	require.NoError(t, err)
	t.Cleanup(func() { strict.Close() })
	labels, broken := map[string]bool{}, map[string]bool{}
	var all strings.Builder
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "\t") {
			continue // the error of the call before
		}
		line = strings.TrimSpace(line)
		c := parseBadCall(t, line)
		err, at := c.record(dev)
		e, ok := errors.AsType[*lazy.OpError](err)
		if !ok {
			t.Errorf("%s: got %v", line, err)
			continue
		}
		if e.Op != c.op.Mnemonic() || fmt.Sprint(e.Operands) != fmt.Sprint(c.types) || e.Label == "" || filepath.Base(e.File) != "errors_test.go" || e.Line != at || !errors.Is(e, lazy.ErrType) && !errors.Is(e, lazy.ErrUsage) {
			t.Errorf("%s: %v is to be of the op %s on %v, of the line %d, and to have a label", line, err, c.op.Mnemonic(), c.types, at)
		}
		require.PanicsWithError(t, e.Error(), func() { c.record(strict) }, line)
		labels[e.Label], broken[c.op.GoName()] = true, true
		fmt.Fprintf(&all, "%s\n\t%s\n", line, reason(err))
	}
	golden.Is(t, path, all.String())
	others, err := os.ReadFile("../../lazy/testdata/mistakes.txt") // of functions that are not in the registry, and calls that it cannot make
	require.NoError(t, err)
	for _, o := range ops.Written {
		for _, label := range o.Labels() {
			require.True(t, labels[label] || strings.Contains(string(others), "("+label+")"), "no call of %s breaks %s", path, label)
			delete(labels, label)
		}
	}
	for label := range labels {
		require.Regexp(t, `_(c\d+|shapes)$`, label, "a label is that of a row, or in ops.Written")
	}
	for _, o := range calls.All() {
		if o.ByHand && (o.Package == "" || slices.ContainsFunc(ops.Packages, func(p ops.Package) bool { return p.Name == o.Package })) {
			require.NotEqual(t, slices.Contains(free, o.GoName()), broken[o.GoName()], "%s: give %s a bad call in %s, or name it in free", o.GoName(), o.GoName(), path)
		}
	}
}
