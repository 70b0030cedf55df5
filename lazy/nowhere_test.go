package lazy_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
	"ltc/soa"
)

// A program that does not look at Open's error: whatever it does, it is told of
// the line that made the trace, and what to do.
func TestTraceOfNoDevice(t *testing.T) {
	dev, err := lazy.Open("cpuu")
	require.Error(t, err)
	made := nextLine()
	tr := lazy.NewTrace(dev)
	made += ": new_trace(): the device is nil, or was not opened: open one with Open, and look at the error that it returns"
	x := lazy.From(tr, []float32{1, 2})
	good := lazy.From(lazy.NewTrace(open(t, "eval")), []float32{1, 2})
	w := open(t, "eval").Variable("w", lazy.F32, 2)
	_, read := x.Value()
	_, dumped := tr.Dump(lazy.FormatIR, x)
	for name, err := range map[string]error{
		"from": x.Err(), "add": x.AddScalar(1).Add(x).Err(), "full": lazy.Ones(tr, lazy.F32, 2).Err(), "iota": lazy.Iota(tr, lazy.F32, 0, 2).Err(),
		"scalar": tr.Scalar("lr", 1).Err(), "read": tr.Read(w).Err(), "view": tr.View(w).Err(), "to": good.To(tr).Err(), "value": read,
		"grad": lazy.Grad(x.Sum(), x)[0].Err(), "softmax": x.Softmax(0).Err(), "mixed": x.Add(good).Err(), "slice": x.Slice([]int{0}, []int{1}, []int{1}).Err(),
		"random": lazy.NewRandom(good.Device(), 1).Normal(tr, lazy.F32, 0, 1, 2).Err(), "concatenate": lazy.Concatenate(0, x, good).Err(),
		"mark_step": tr.MarkStep(x), "again": tr.MarkStep(), "wait": tr.Wait(context.Background()), "warmup": tr.Warmup(), "dump": dumped,
	} {
		require.ErrorIs(t, err, lazy.ErrUsage, name)
		require.EqualError(t, err, made, name)
	}
	require.Equal(t, "no trace", tr.String())
	require.Nil(t, tr.Device())
	at := nextLine()
	require.ErrorContains(t, dev.Variable("w", lazy.F32, 2).Err(), at+": variable(): the device is nil")
	require.ErrorContains(t, dev.Close(), "close(): the device is nil")
	at = nextLine()
	require.ErrorContains(t, (*lazy.Trace)(nil).MarkStep(), at+": trace(): the trace is nil, or the zero Trace: make one with NewTrace")
	require.ErrorContains(t, lazy.Ones(nil, lazy.F32, 2).Err(), "it needs a trace or an open device, not nil")
	_, err = lazy.NewRandom(dev, 1).Fork(2)
	require.ErrorContains(t, err, "fork: not allowed: there is no stream; make one with NewRandom, for a device that is open")
}

// Methods of what is nil or the zero value of its type do not panic, and those
// that can return an error do.
func TestNothingPanics(t *testing.T) {
	trials.Sequential(t)
	errorType := reflect.TypeFor[error]()
	harmless := map[string]bool{"Err": true} // a tensor that is none is not poisoned, using it is an error
	for _, x := range []any{
		(*lazy.Device)(nil), (*lazy.Trace)(nil), (*lazy.Tensor)(nil), (*lazy.Random)(nil), (*lazy.Function)(nil),
		&lazy.Device{}, &lazy.Trace{}, &lazy.Tensor{}, &lazy.Random{}, &lazy.Function{},
		lazy.NewTrace(nil), lazy.NewRandom(nil, 1), lazy.Func(nil, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x }),
		lazy.From(lazy.NewTrace(nil), []int32{1}), lazy.FromView(&lazy.Device{}, soa.View{}),
	} {
		v := reflect.ValueOf(x)
		for i := range v.NumMethod() {
			m, name := v.Method(i), v.Type().Method(i).Name
			var args []reflect.Value
			for j := range m.Type().NumIn() {
				if m.Type().IsVariadic() && j == m.Type().NumIn()-1 {
					break
				}
				args = append(args, reflect.Zero(m.Type().In(j)))
			}
			var results []reflect.Value
			require.NotPanics(t, func() { results = m.Call(args) }, "%v %s", v, name)
			if n := len(results); n > 0 && results[n-1].Type() == errorType && !harmless[name] {
				require.False(t, results[n-1].IsNil(), "%v %s", v, name)
			}
		}
	}
}
