package lazy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
	"ltc/soa"
)

// While another trace's program writes a variable over the version that a closure would
// see, the closure reads what that program makes. What the closure has read already is
// not written over.
func TestClosureReadsNoVersionThatIsWrittenOver(t *testing.T) {
	for _, one := range []string{"closure", "program"} {
		t.Run(one+" first", func(t *testing.T) {
			dev, gate := openGated(t)
			own, other := lazy.NewTrace(dev), lazy.NewTrace(dev)
			w, v := dev.Variable("w", lazy.F32, bigSize), dev.Variable("v", lazy.F32, bigSize)
			go gate.pass(2, nil)
			add(t, own, v, 1)
			require.NoError(t, own.Wait(background))
			add(t, other, w, 1)
			require.NoError(t, other.Wait(background))

			read, resume := make(chan struct{}), make(chan struct{})
			begin := make(chan struct{})
			var was, is float32
			own.AfterStep(func(error) {
				<-begin
				view, err := w.Value()
				if err != nil {
					t.Error(err)
				}
				s := soa.Slice[float32](view)
				was = s[0]
				close(read)
				<-resume
				is = s[0]
			})
			add(t, own, v, 1)
			gate.pass(1, nil) // the closure waits to begin
			if one == "closure" {
				// The step is claimed behind one that keeps it from running.
				held := lazy.NewTrace(dev)
				hold := dev.Variable("hold", lazy.F32, bigSize)
				add(t, held, hold, 1)
				<-gate.began
				w.Add_(big(other, w, 1).Mul(other.Read(hold)))
				require.NoError(t, other.MarkStep())
				close(begin)
				<-read
				gate.let <- nil // held's
				gate.pass(1, nil)
			} else {
				add(t, other, w, 1)
				<-gate.began // it has w's memory
				close(begin)
				select {
				case <-read:
					t.Error("the closure has read memory that is being written")
				case <-time.After(50 * time.Millisecond):
				}
				gate.let <- nil
				<-read
			}
			within(t, func() { require.NoError(t, other.Wait(background)) })
			close(resume)
			within(t, func() { require.NoError(t, dev.Wait(background)) })
			want, copies := float32(2), int64(0)
			if one == "closure" {
				want, copies = 1, 1
			}
			require.Equal(t, want, was)
			require.Equal(t, was, is, "the view has not changed")
			require.Equal(t, copies, other.Report().DonationCopies)
			require.Equal(t, float32(2), first(t, w))
		})
	}
}
