package varying

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/shapeinfer"
)

// A number of a line is an argument from its third value on, and counts in its place of the step.
func TestThirdValueIsAnArgument(t *testing.T) {
	b, at := ir.NewBuilder(shapeinfer.Infer), callsite.Caller()
	var l Lines
	record := func(step int64, bits uint64) bool {
		line, argument := l.Argument(b, step, at)
		return argument || l.Varies(b, step, at, line, nil, bits)
	}
	for step, values := range [][2]uint64{{1, 9}, {1, 9}, {2, 9}} {
		require.False(t, record(int64(step+1), values[0]))
		require.False(t, record(int64(step+1), values[1]))
	}
	require.True(t, record(4, 3))
	require.False(t, record(4, 9), "the second number of the line has had one value")
	require.True(t, record(5, 3), "also with a value that it has had")
	require.False(t, record(5, 9))
}

// A line forgets no number, and looks at no more than so many.
func TestNumbersWithoutEnd(t *testing.T) {
	b, at := ir.NewBuilder(shapeinfer.Infer), callsite.Caller()
	var l Lines
	for i := range 2 * mostNumbers {
		line, argument := l.Argument(b, 1, at)
		require.False(t, argument || l.Varies(b, 1, at, line, nil, uint64(i)))
	}
	require.Len(t, l.lines[at].numbers, mostNumbers)
}
