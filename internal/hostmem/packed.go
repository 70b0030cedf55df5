package hostmem

import "sync/atomic"

// packed counts the bytes that programs hold of constants in forms of their own.
var packed atomic.Int64

// Packed returns the bytes of the host's memory that the programs of the process hold of constants,
// packed or computed. A form that several programs hold counts once.
func Packed() int64 { return packed.Load() }

// AddPacked adds n, which may be negative, to the bytes of such forms.
func AddPacked(n int) { packed.Add(int64(n)) }
