package backendtest

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/soa"
)

// parseValue reads a type and its elements, f32[2,2] 1 2 3 4; one element
// fills the whole tensor.
func parseValue(s string) (soa.View, error) {
	words := strings.Fields(s)
	if len(words) == 0 {
		return soa.View{}, fmt.Errorf("no type")
	}
	t, err := types.ParseType(words[0])
	if err != nil {
		return soa.View{}, err
	}
	words = words[1:]
	if len(words) != 1 && len(words) != t.Elements() {
		return soa.View{}, fmt.Errorf("%s for %v", diag.Count(len(words), "element"), t)
	}
	buf := soa.New(t.Bytes())
	size := t.DType.Size()
	for i := range t.Elements() {
		bits, err := parseElement(t.DType, words[min(i, len(words)-1)])
		if err != nil {
			return soa.View{}, err
		}
		putBits(buf.Bytes()[i*size:], size, bits)
	}
	return buf.View(t), nil
}

func parseElement(d types.DType, s string) (uint64, error) {
	switch {
	case d == types.Bool:
		b, err := strconv.ParseBool(s)
		if b {
			return 1, err
		}
		return 0, err
	case !d.IsFloat() && d.IsSigned():
		v, err := strconv.ParseInt(s, 0, 8*d.Size())
		return uint64(v), err
	case !d.IsFloat():
		return strconv.ParseUint(s, 0, 8*d.Size())
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, err
	}
	switch d {
	case types.F16:
		return uint64(types.ToFloat16(v)), nil
	case types.BF16:
		return uint64(types.ToBFloat16(v)), nil
	case types.F32:
		return uint64(math.Float32bits(float32(v))), nil
	}
	return math.Float64bits(v), nil
}

func putBits(b []byte, size int, bits uint64) {
	var all [8]byte
	binary.LittleEndian.PutUint64(all[:], bits)
	copy(b[:size], all[:size])
}

func getBits(b []byte, size int) uint64 {
	var all [8]byte
	copy(all[:], b[:size])
	return binary.LittleEndian.Uint64(all[:])
}

// elements returns the bits of v's elements in row-major order.
func elements(v soa.View) []uint64 {
	d := soa.Make(v.Type)
	if err := soa.Copy(d, v); err != nil {
		panic(err) // equal types by construction
	}
	size, out := v.Type.DType.Size(), make([]uint64, v.Type.Elements())
	if len(out) == 0 {
		return out
	}
	mem := bytesOf(d)
	for i := range out {
		out[i] = getBits(mem[i*size:], size)
	}
	return out
}

func bytesOf(v soa.View) []byte {
	switch v.Type.DType.Size() {
	case 1:
		return soa.Bits[uint8](v)
	case 2:
		return pack(soa.Bits[uint16](v), func(b []byte, x uint16) []byte { return binary.LittleEndian.AppendUint16(b, x) })
	case 4:
		return pack(soa.Bits[uint32](v), func(b []byte, x uint32) []byte { return binary.LittleEndian.AppendUint32(b, x) })
	}
	return pack(soa.Bits[uint64](v), func(b []byte, x uint64) []byte { return binary.LittleEndian.AppendUint64(b, x) })
}

func pack[T any](s []T, put func([]byte, T) []byte) []byte {
	var b []byte
	for _, x := range s {
		b = put(b, x)
	}
	return b
}

// difference describes the first element of got that is not that of want: for
// floats, further than ulps units in the last place; NaN equals NaN. It is
// empty when there is none.
func difference(got, want soa.View, ulps int64) string {
	if !got.Type.Equal(want.Type) {
		return fmt.Sprintf("got %v, want %v", got.Type, want.Type)
	}
	d := want.Type.DType
	g, w := elements(got), elements(want)
	for i := range w {
		if g[i] != w[i] && !(d.IsFloat() && within(d, g[i], w[i], ulps)) {
			text := fmt.Sprintf("element %d of %v: got %s, want %s", i, want.Type, show(d, g[i]), show(d, w[i]))
			if ulps > 0 && d.IsFloat() {
				text += fmt.Sprintf(", within %s", diag.Count(ulps, "ulp"))
			}
			return text
		}
	}
	return ""
}

func within(d types.DType, a, b uint64, ulps int64) bool {
	x, y := float(d, a), float(d, b)
	if x != x || y != y {
		return x != x && y != y
	}
	if ulps == 0 {
		return a == b // the sign of zero counts
	}
	dist := order(d, a) - order(d, b)
	return dist >= -ulps && dist <= ulps
}

// order numbers the floats of a type by value, both zeros as 0.
func order(d types.DType, bits uint64) int64 {
	sign := uint64(1) << (8*d.Size() - 1)
	if bits&sign != 0 {
		return -int64(bits &^ sign)
	}
	return int64(bits)
}

func float(d types.DType, bits uint64) float64 {
	switch d {
	case types.F16:
		return float64(types.Float16(bits).Float32())
	case types.BF16:
		return float64(types.BFloat16(bits).Float32())
	case types.F32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

func show(d types.DType, bits uint64) string {
	switch {
	case d.IsFloat():
		return strconv.FormatFloat(float(d, bits), 'g', -1, 64)
	case d == types.Bool:
		return strconv.FormatBool(bits != 0)
	case d.IsSigned():
		shift := 64 - 8*d.Size()
		return strconv.FormatInt(int64(bits<<shift)>>shift, 10)
	}
	return strconv.FormatUint(bits, 10)
}
