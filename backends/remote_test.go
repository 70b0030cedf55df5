package backends

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

type farMemory struct{}

func (farMemory) Read([]byte, uintptr) error  { return nil }
func (farMemory) Write(uintptr, []byte) error { return nil }
func (farMemory) String() string              { return "far:0" }

// Remote memory is refused but by those who reach it.
func TestCheckCallRemote(t *testing.T) {
	two := types.Of(types.F32, 2)
	sig := &Signature{Args: []Arg{{Name: "x", Type: two, Alias: -1}}, Results: []Result{{Type: two, Alias: -1}}}
	here, there := soa.Make(two), soa.OfRemote(farMemory{}, 1<<40, 8).View(two)
	require.EqualError(t, CheckCall(sig, &Call{Args: []soa.View{there}}, nil),
		`execute: argument 0 ("x"): it is in the memory of far:0, which the program does not reach: copy it with soa.Copy`)
	require.ErrorContains(t, CheckCall(sig, &Call{Args: []soa.View{here}, Results: []soa.View{there}}, nil), "result 0: it is in the memory of far:0")
	require.NoError(t, CheckCallOn(sig, &Call{Args: []soa.View{there}, Results: []soa.View{there}}, nil, farMemory{}))
}

// Memory that is to be read only is no result's, given or donated, but where a device
// leaves the result in its own.
func TestCheckCallReadOnly(t *testing.T) {
	two := types.Of(types.F32, 2)
	sig := &Signature{Args: []Arg{{Name: "x", Type: two, Alias: 0}}, Results: []Result{{Type: two, Alias: 0}}}
	sealed, own := soa.Foreign(make([]byte, 8), func() {}).View(two), soa.Make(two)
	err := CheckCall(sig, &Call{Args: []soa.View{sealed}}, nil)
	require.ErrorIs(t, err, soa.ErrReadOnly)
	require.EqualError(t, err, `execute: argument 0 ("x") is donated to result 0: it is read only: give that result memory of its own`)
	require.ErrorIs(t, CheckCallOn(sig, &Call{Args: []soa.View{sealed}}, nil, farMemory{}), soa.ErrReadOnly)
	err = CheckCall(sig, &Call{Args: []soa.View{own}, Results: []soa.View{sealed}}, nil)
	require.ErrorIs(t, err, soa.ErrReadOnly)
	require.EqualError(t, err, "execute: result 0: it is read only")
	require.NoError(t, CheckCall(sig, &Call{Args: []soa.View{sealed}, Results: []soa.View{own}}, nil))
	require.NoError(t, CheckCallOn(sig, &Call{Args: []soa.View{sealed}, Resident: true}, nil, farMemory{}))
}
