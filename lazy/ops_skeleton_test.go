package lazy

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/optest"
	"ltc/ir/ops"
	"ltc/ir/types"
)

// updateOps is the command that writes what is derived in archives.
const updateOps = "go test ./lazy -run TestOps -update"

// rule is a constraint that calls can break.
type rule struct {
	label, text string
	k           int // the place among the row's constraints; -1 of the rule that shapes broadcast
}

// breakable are the rules of a row that calls can break: an operand of any dtype has none.
func breakable(row *ops.Op) (all []rule) {
	op := row.Mnemonic()
	for k, text := range row.Constraints() {
		if k < len(row.Operands) && row.Operands[k].Is == ops.Any && row.Operands[k].Like == "" {
			continue
		}
		all = append(all, rule{fmt.Sprintf("%s_c%d", op, k+1), text, k})
	}
	if row.Traits.Has(ops.Elementwise) && len(row.Operands) > 1 {
		all = append(all, rule{op + "_shapes", "the shapes broadcast", -1})
	}
	return all
}

// skeleton is the archive of a row that has none: a run and a bad call for each
// rule, to be given values.
func skeleton(row *ops.Op) string {
	op := row.Mnemonic()
	names, values, dtype := []string{}, "", F32
	if len(row.Operands) > 0 {
		dtype = dtypeFor(row.Operands[0].Is.Allows)
	}
	for _, o := range row.Operands {
		names = append(names, o.Name)
		values += o.Name + ": [2] 1 2\n"
	}
	text := fmt.Sprintf("%s-- values.run --\n%s(%s%s) for %v within 4 ulp\n%s=: [] ?\n-- bad --\n", docOf(op), op, strings.Join(names, ", "), skeletonAttrs(row, ""), dtype, values)
	for _, r := range breakable(row) {
		text += fmt.Sprintf("%s\n  ? %s: %s\n", breaking(row, r), r.label, r.text)
	}
	return text
}

// skeletonAttrs are the attributes of a call, of which that named wrong has a value that
// its kind refuses.
func skeletonAttrs(row *ops.Op, wrong string) (text string) {
	for _, a := range row.Attrs {
		value := "0"
		switch a.Kind {
		case ops.Ints, ops.Dims, ops.Axes, ops.Perm:
			value = "[0]"
		case ops.DType:
			value = "f32"
		case ops.Real, ops.Extended:
			value = "0.5"
		}
		if a.Name == wrong {
			value = map[ops.AttrKind]string{ops.Axis: "5", ops.Axes: "[5]", ops.DType: "invalid", ops.Real: "nan", ops.Extended: "nan"}[a.Kind]
		}
		text += fmt.Sprintf(", %s = %s", a.Name, value)
	}
	return text
}

// breaking is a call that breaks the rule and none before it, as far as the row says how;
// else its operands are ?.
func breaking(row *ops.Op, r rule) string {
	var operands []string
	wrong, known := "", r.k < len(row.Operands)
	if !known {
		d := row.Where[r.k-len(row.Operands)]
		if i := slices.IndexFunc(row.Attrs, func(a ops.Attr) bool { return a.Name == d.Name && a.Kind.Checked() }); i >= 0 {
			wrong, known = d.Name, true
		}
	}
	of := map[string]types.DType{}
	for k, o := range row.Operands {
		d := dtypeFor(func(d types.DType) bool { return o.Is.Allows(d) != (k == r.k) })
		if like, ok := of[o.Like]; ok {
			d = dtypeFor(func(d types.DType) bool { return (d == like) != (k == r.k) })
		}
		of[o.Name] = d
		typ := fmt.Sprintf("%v[2]", d)
		if !known {
			typ = "?"
		} else if r.k < 0 && k > 0 {
			typ = fmt.Sprintf("%v[3]", d)
		}
		operands = append(operands, o.Name+": "+typ)
	}
	return fmt.Sprintf("%s(%s%s)", row.Mnemonic(), strings.Join(operands, ", "), skeletonAttrs(row, wrong))
}

// dtypeFor is the first dtype that is allowed: f32 and i32 before all others.
func dtypeFor(allowed func(types.DType) bool) types.DType {
	for _, d := range append([]types.DType{F32, I32}, types.AllDTypes()...) {
		if allowed(d) {
			return d
		}
	}
	return F32
}

// placeOfCall is where an archive has a bad call, for the beginning of a message.
func placeOfCall(path string, c optest.Call) string {
	name := "testdata/ops/" + filepath.Base(path)
	text, err := os.ReadFile(path)
	if err != nil {
		return name + ": "
	}
	_, bad, _ := strings.Cut(string(text), "\n-- bad --\n")
	first := 1 + strings.Count(strings.TrimSuffix(string(text), bad), "\n")
	for i, line := range strings.Split(bad, "\n") {
		if written, err := optest.ParseCall(line); err == nil && written.String() == c.String() {
			return fmt.Sprintf("%s:%d: ", name, first+i)
		}
	}
	return name + ": "
}

// standsFor returns the label and the text of the rule that a bad call of a skeleton is to
// break.
func standsFor(bad *optest.BadCall) (label, text string, ok bool) {
	rest, ok := strings.CutPrefix(bad.Error, "? ")
	if !ok {
		return "", "", false
	}
	label, text, ok = strings.Cut(rest, ": ")
	return label, text, ok
}

// unwritten says what to write in a bad call whose operands are ?.
func unwritten(bad *optest.BadCall) string {
	what := "that break a rule"
	if label, text, ok := standsFor(bad); ok {
		what = fmt.Sprintf("that break %s alone: %s", label, text)
	}
	return fmt.Sprintf("the bad call %v has no types yet: replace each ? by a type, such as f32[2,3], and set attributes %s; then run %s", bad.Call, what, updateOps)
}

// wrongBadCall returns why the error of a bad call, nil if it has none, is not the one that
// it stands for; "" if it may be.
func wrongBadCall(bad *optest.BadCall, broken *OpError) string {
	label, text, known := standsFor(bad)
	rule := "a rule"
	if known {
		rule = fmt.Sprintf("%s (%s)", label, text)
	}
	switch {
	case broken == nil:
		return fmt.Sprintf("the call %v breaks no rule, but stands under bad: change its types or attributes so that it breaks %s", bad.Call, rule)
	case known && broken.Label != label:
		return fmt.Sprintf("the bad call %v breaks %s (%s): change its types or attributes so that it breaks %s and no rule before it", bad.Call, broken.Label, broken.Reason, rule)
	}
	return ""
}

// noArchive says how to begin the archive of an op.
func noArchive(op string) string {
	if rowOf(op) == nil {
		return fmt.Sprintf("testdata/ops has no %s.txtar, but ops_test.go has a call of %s: write the archive by hand, like testdata/ops/attention.txtar", op, op)
	}
	return fmt.Sprintf("testdata/ops has no %s.txtar: %s writes a skeleton", op, updateOps)
}

// noBadCall says what to add to an archive that breaks a rule nowhere.
func noBadCall(row *ops.Op, r rule) string {
	return fmt.Sprintf("testdata/ops/%s.txtar has no bad call for %s (%s). Add these two lines under -- bad --, with types and attributes that break this rule and none before it:\n%s\n  ? %s: %s\nThen run %s",
		row.Mnemonic(), r.label, r.text, breaking(row, r), r.label, r.text, updateOps)
}

// Messages about archives say what the author should write, and where.
func TestMessagesOfSkeletons(t *testing.T) {
	row := &ops.Op{Name: "Middle", Operands: []ops.Operand{{Name: "x", Is: ops.Float}, {Name: "n", Is: ops.Any}, {Name: "y", Like: "x"}},
		Attrs: []ops.Attr{{Name: "axis", Kind: ops.Axis}}, Where: []ops.Demand{{Name: "axis", Text: "axis is one of those of x"}, {Name: "odd", Text: "the dimension is odd"}}}
	_, bad, _ := strings.Cut(skeleton(row), "-- bad --\n")
	c := row.Constraints()
	require.Equal(t, "middle(x: i32[2], n: f32[2], y: i32[2], axis = 0)\n  ? middle_c1: "+c[0]+"\n"+
		"middle(x: f32[2], n: f32[2], y: i32[2], axis = 0)\n  ? middle_c3: "+c[2]+"\n"+
		"middle(x: f32[2], n: f32[2], y: f32[2], axis = 5)\n  ? middle_c4: axis is one of those of x\n"+
		"middle(x: ?, n: ?, y: ?, axis = 0)\n  ? middle_c5: the dimension is odd\n", bad)

	path := filepath.Join(t.TempDir(), "middle.txtar")
	require.NoError(t, os.WriteFile(path, []byte("Doc\n-- bad --\n"+bad), 0o644))
	a, err := optest.Read(path)
	require.NoError(t, err)
	require.Len(t, a.Bad, 4)
	require.Equal(t, "testdata/ops/middle.txtar:5: ", placeOfCall(path, a.Bad[1].Call))
	require.Equal(t, "the bad call middle(x: ?, n: ?, y: ?, axis = 0) has no types yet: replace each ? by a type, such as f32[2,3], "+
		"and set attributes that break middle_c5 alone: the dimension is odd; then run "+updateOps, unwritten(a.Bad[3]))
	require.Equal(t, "the call middle(x: f32[2], n: f32[2], y: f32[2], axis = 5) breaks no rule, but stands under bad: "+
		"change its types or attributes so that it breaks middle_c4 (axis is one of those of x)", wrongBadCall(a.Bad[2], nil))
	require.Equal(t, "the bad call middle(x: f32[2], n: f32[2], y: f32[2], axis = 5) breaks middle_c1 (x is odd): "+
		"change its types or attributes so that it breaks middle_c4 (axis is one of those of x) and no rule before it",
		wrongBadCall(a.Bad[2], &OpError{Label: "middle_c1", Reason: "x is odd"}))
	require.Empty(t, wrongBadCall(a.Bad[2], &OpError{Label: "middle_c4"}))
	require.Empty(t, wrongBadCall(&optest.BadCall{Error: "middle(f32[2]): written (middle_c4)"}, &OpError{Label: "middle_c1"}))

	require.Equal(t, "testdata/ops/middle.txtar has no bad call for middle_c5 (the dimension is odd). Add these two lines under -- bad --, "+
		"with types and attributes that break this rule and none before it:\nmiddle(x: ?, n: ?, y: ?, axis = 0)\n  ? middle_c5: the dimension is odd\nThen run "+updateOps, noBadCall(row, breakable(row)[3]))
	require.Equal(t, "testdata/ops has no abs.txtar: "+updateOps+" writes a skeleton", noArchive("abs"))
	require.Contains(t, noArchive("middle"), "write the archive by hand")
}
