package arrow

import (
	"fmt"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"ltc/internal/diag"
)

// entriesOf returns the bytes of n entries of size bytes each of an array's buffer,
// from number first of the array on, or an error when the buffer does not have them.
// Buffers that come from elsewhere need not be as long as their arrays say.
func entriesOf(data arrow.ArrayData, first, n, size int) ([]byte, error) {
	var mem []byte
	if all := data.Buffers(); len(all) > 1 && all[1] != nil {
		mem = all[1].Bytes()
	}
	from := first + data.Offset()
	hi, end := bits.Mul64(uint64(from)+uint64(n), uint64(size))
	if first < 0 || data.Offset() < 0 || n < 0 || hi != 0 || end > uint64(len(mem)) {
		return nil, fmt.Errorf("entries %d to %d of %s each are not in a buffer of %d", from, from+n, diag.Count(size, "byte"), len(mem))
	}
	return mem[from*size : end], nil
}

// checkNulls returns an error when an array has fewer bits that say which of its
// entries are null than entries.
func checkNulls(data arrow.ArrayData) error {
	all := data.Buffers()
	if len(all) == 0 || all[0] == nil || all[0].Len() == 0 && data.NullN() == 0 {
		return nil
	}
	if n := data.Offset() + data.Len(); n > 8*all[0].Len() {
		return fmt.Errorf("%s with %s that say which are null", diag.Count(n, "entry"), diag.Count(8*all[0].Len(), "bit"))
	}
	return nil
}

// sliceOf is array.NewSlice of values, from one to before another.
func sliceOf(values arrow.Array, from, to int64) (arrow.Array, error) {
	if from < 0 || to < from || to > int64(values.Len()) {
		return nil, fmt.Errorf("values %d to %d of %d", from, to, values.Len())
	}
	if err := checkNulls(values.Data()); err != nil {
		return nil, err
	}
	return array.NewSlice(values, from, to), nil
}
