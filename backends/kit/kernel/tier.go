package kernel

import "context"

// Tier is a [Code] that is still being compiled while other code, the stand-in, runs its
// launches. The stand-in gives the same bits, unless [Tiers] allow others. Parts and Scratch hold
// for both.
type Tier interface {
	Code
	// Now returns the code for a launch that begins, and whether it is the final one: later
	// calls return the same. All parts of the launch run the code of one call. Now takes no lock
	// and allocates nothing.
	Now() (code Code, final bool)
	// Finish waits until Now returns the final code, or until ctx ends: it then returns the
	// cause.
	Finish(ctx context.Context) error
}

// Tiers allows a compiler to return a [Tier] for kernels whose code takes long to compile.
type Tiers struct {
	// Cost returns about how many nanoseconds a stand-in takes for all launches of a kernel in a
	// run of the program, and whether that is known.
	Cost func(k *Kernel) (nanoseconds float64, ok bool)
	// Inexact allows stand-ins that give other bits, where the order of a sum or the expansion of a
	// function matters. Results then depend on time.
	Inexact bool
	// Later has work begin that no run waits for, on a goroutine of its own, when it does not
	// delay the first run of the program. The work begins at once when begin is called. If the
	// field is nil, the compiler begins at once.
	Later func(work func()) (begin func())
}

type tiersKey struct{}

// WithTiers returns a context with t for [Compiler.Compile] and [Preparer.Prepare]; without
// tiers if t is nil.
func WithTiers(ctx context.Context, t *Tiers) context.Context {
	return context.WithValue(ctx, tiersKey{}, t)
}

// TiersOf returns the tiers that [WithTiers] has put into a context; nil if there are none, so
// that code is to be final.
func TiersOf(ctx context.Context) *Tiers {
	t, _ := ctx.Value(tiersKey{}).(*Tiers)
	return t
}
