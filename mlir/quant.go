package mlir

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/lexeme"
	"ltc/internal/minifloat"
)

// QuantType is what `!quant.uniform<i8<-127:127>:f32:1, {0.1:-30, 0.5:-20}>`
// says: an integer i of the storage type stands for (i-zero point)*scale in
// the expressed type. A type whose scales hold for blocks (sub-channel
// quantization) is MLIR's; the StableHLO specification has none.
type QuantType struct {
	Storage    IntegerType
	Signless   bool  // the storage is written u8: constants have its bits as i8
	Min, Max   int64 // of the storage
	Expressed  FloatType
	Axis       int // the dimension whose slices have scales of their own; -1 if there is none
	Scales     []float64
	ZeroPoints []int64 // as many as scales

	// Blocks is into what dimensions are cut; nil unless blocks have scales of
	// their own. The scales are then a tensor of shape Grid, row-major, in
	// which a dimension that is not cut is 1.
	Blocks []QuantBlock
	Grid   []int64
}

// QuantBlock cuts a dimension into blocks of Size.
type QuantBlock struct {
	Axis int
	Size int64
}

// QuantOf reads the text of a quantized element type. It returns nil without
// error for types that are none, and an error for one that breaks the
// specification's constraints on quantized element types, named by label.
func QuantOf(t Type) (*QuantType, error) {
	d, ok := t.(DialectType)
	if !ok {
		return nil, nil
	}
	body, ok := strings.CutPrefix(d.Text, "quant.uniform<")
	if !ok {
		return nil, nil
	}
	body, ok = strings.CutSuffix(body, ">")
	head, params, ok2 := cutHead(strings.ReplaceAll(body, " ", ""))
	if !ok || !ok2 {
		return nil, fmt.Errorf("%s: want a storage type, an expressed type and scales", t)
	}
	q := &QuantType{Axis: -1}
	if err := q.types(head); err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	if err := q.params(params); err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	if err := q.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	return q, nil
}

// cutHead cuts at the first comma that is not in braces.
func cutHead(s string) (head, params string, ok bool) {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				return s[:i], s[i+1:], true
			}
		}
	}
	return s, "", false
}

// types reads what stands before the comma: i8<-127:127>:f32:1, or
// i8:f32:{0:2, 1:4}.
func (q *QuantType) types(s string) error {
	storage, rest, _ := strings.Cut(s, ":")
	name, low, bounded := strings.Cut(storage, "<")
	word, signless := strings.CutPrefix(name, "u")
	if signless = signless && !strings.HasPrefix(word, "i"); signless {
		word = "ui" + word
	} else {
		word = name
	}
	i, ok := WordType(word).(IntegerType)
	if !ok || i.Width > 32 {
		return fmt.Errorf("storage type %s is no integer of up to 32 bits", name)
	}
	q.Storage, q.Signless = i, signless
	q.Min, q.Max = q.Limits()
	if bounded {
		high, after, ok := strings.Cut(rest, ">:")
		var err1, err2 error
		q.Min, err1 = strconv.ParseInt(low, 10, 64)
		q.Max, err2 = strconv.ParseInt(high, 10, 64)
		if !ok || err1 != nil || err2 != nil {
			return fmt.Errorf("bounds of the storage are written <low:high>")
		}
		rest = after
	}
	expressed, axis, perAxis := strings.Cut(rest, ":")
	f, ok := WordType(expressed).(FloatType)
	if !ok {
		return fmt.Errorf("expressed type %q is no float", expressed)
	}
	q.Expressed = f
	if list, ok := strings.CutPrefix(axis, "{"); ok {
		return q.blocks(list)
	}
	if perAxis {
		n, err := strconv.Atoi(axis)
		if err != nil {
			return fmt.Errorf("quantization dimension %s is not a number", axis)
		}
		if n < 0 {
			return fmt.Errorf("quantization dimension %d is negative (quant_c11)", n)
		}
		q.Axis = n
	}
	return nil
}

// Limits returns the least and largest value of the storage type.
func (q *QuantType) Limits() (int64, int64) {
	if q.Storage.Sign == Unsigned {
		return 0, 1<<q.Storage.Width - 1
	}
	return -1 << (q.Storage.Width - 1), 1<<(q.Storage.Width-1) - 1
}

// params reads what stands behind the comma: 0.1:-30, or such a list in braces.
func (q *QuantType) params(s string) error {
	if q.Blocks != nil {
		return q.grid(s)
	}
	list, open := strings.CutPrefix(s, "{")
	list, closed := strings.CutSuffix(list, "}")
	if open != closed || open != (q.Axis >= 0) {
		return fmt.Errorf("a list of scales in braces needs a quantization dimension, one scale none (quant_c10)")
	}
	for part := range strings.SplitSeq(list, ",") {
		if err := q.param(part); err != nil {
			return err
		}
	}
	return nil
}

// param reads 0.1:-30, or 0.1 alone.
func (q *QuantType) param(s string) error {
	scale, zero, has := strings.Cut(s, ":")
	v, err := strconv.ParseFloat(scale, 64)
	if err != nil || strings.IndexByte(scale, '.') < 0 {
		return fmt.Errorf("scale %q is not a number with a point", lexeme.Clip(scale))
	}
	z := int64(0)
	if has {
		if z, err = strconv.ParseInt(zero, 10, 64); err != nil {
			return fmt.Errorf("zero point %q is not an integer", lexeme.Clip(zero))
		}
	}
	q.Scales, q.ZeroPoints = append(q.Scales, v), append(q.ZeroPoints, z)
	return nil
}

// Stored is the type that constants of the type are written with.
func (q *QuantType) Stored() IntegerType {
	if q.Signless {
		return IntegerType{Width: q.Storage.Width}
	}
	return q.Storage
}

// Type returns the type in the one way to write it: without bounds that are those of the
// storage type, zero points that are 0 and spaces, and with scales as MLIR
// prints an f64.
func (q *QuantType) Type() DialectType {
	storage := q.Storage.String()
	if q.Signless {
		storage = "u" + strconv.Itoa(q.Storage.Width)
	}
	b := []byte("quant.uniform<" + storage)
	if low, high := q.Limits(); q.Min != low || q.Max != high {
		b = fmt.Appendf(b, "<%d:%d>", q.Min, q.Max)
	}
	b = append(b, ":"+q.Expressed.Name...)
	switch {
	case q.Blocks != nil:
		b = append(b, ":{"+diag.Join(q.Blocks, func(b QuantBlock) string { return fmt.Sprintf("%d:%d", b.Axis, b.Size) })+"}, "...)
		b, _ = q.appendGrid(b, 0, 0)
	case q.Axis >= 0:
		b = fmt.Appendf(b, ":%d, {", q.Axis)
		for i := range q.Scales {
			if i > 0 {
				b = append(b, ',')
			}
			b = q.appendParam(b, i)
		}
		b = append(b, '}')
	default:
		b = q.appendParam(append(b, ", "...), 0)
	}
	return DialectType{string(append(b, '>'))}
}

func (q *QuantType) appendParam(b []byte, i int) []byte {
	b = lexeme.AppendFloat(b, math.Float64bits(q.Scales[i]), F64.Name)
	if z := q.ZeroPoints[i]; z != 0 {
		b = fmt.Appendf(b, ":%d", z)
	}
	return b
}

func (q *QuantType) check() error {
	low, high := q.Limits()
	if q.Min < low || q.Min >= q.Max || q.Max > high {
		return fmt.Errorf("storage bounds %d:%d are not an ascending pair within %d:%d (quant_c3)", q.Min, q.Max, low, high)
	}
	for i, s := range q.Scales {
		if !(s > 0) {
			return fmt.Errorf("scale %d is %v, want more than 0 (quant_c5)", i, s)
		}
		if v := q.Round(s); math.IsInf(v, 0) || v == 0 {
			return fmt.Errorf("scale %d is %v, which is not finite and above 0 in %s (quant_c6)", i, s, q.Expressed)
		}
		if z := q.ZeroPoints[i]; z < q.Min || z > q.Max {
			return fmt.Errorf("zero point %d is %d, outside of the storage's %d:%d (quant_c7)", i, z, q.Min, q.Max)
		}
	}
	return nil
}

// Round rounds a number to the expressed type.
func (q *QuantType) Round(v float64) float64 {
	switch m, _, ok := minifloat.Of(q.Expressed.Name); {
	case ok:
		return m.Value(m.Bits(v))
	case q.Expressed == F32:
		return float64(float32(v))
	}
	return v
}
