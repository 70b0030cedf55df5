package ptxsim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/ptxsim"
)

// A launch tells what memory it has accessed; what is taken away is not there.
func TestAccessed(t *testing.T) {
	m, err := ptxsim.Parse(sums)
	require.NoError(t, err)
	e, err := m.Entry("sums")
	require.NoError(t, err)
	require.Equal(t, 64, e.Threads)
	var memory ptxsim.Memory
	const x, y = 0x7000_0100, 0x6000_0FFC
	memory.Map(x, floats(200))
	memory.Map(y, make([]byte, 16))
	var all []ptxsim.Access
	l := ptxsim.Launch{Grid: [3]int{2, 1, 1}, Block: [3]int{64, 1, 1}, Shared: 8, Args: []uint64{x, y}}
	l.Accessed = func(a ptxsim.Access) { all = append(all, a) }
	_, err = e.Run(&memory, l)
	require.NoError(t, err)
	require.Equal(t, []ptxsim.Access{{Address: y, Bytes: 8, Write: true}, {Address: x, Bytes: 512}}, all)

	memory.Unmap(x)
	_, err = e.Run(&memory, l)
	var access *ptxsim.AccessError
	require.ErrorAs(t, err, &access)
	require.EqualValues(t, x, access.Address)
	require.False(t, access.Misaligned)
}
