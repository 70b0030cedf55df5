package cudafake_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
)

// increment adds a number to integers: y[i] = x[i] + c, in blocks of 32.
const increment = `.version 7.0
.target sm_80
.address_size 64
.visible .entry increment(.param .u64 x, .param .u64 y, .param .u64 c)
{
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd0, [x];
	ld.param.u64 %rd1, [y];
	ld.param.u64 %rd2, [c];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mad.lo.s32 %r3, %r1, %r2, %r0;
	mul.wide.u32 %rd3, %r3, 4;
	add.s64 %rd4, %rd0, %rd3;
	add.s64 %rd5, %rd1, %rd3;
	ld.global.u32 %r4, [%rd4];
	cvt.u32.u64 %r5, %rd2;
	add.u32 %r6, %r4, %r5;
	st.global.u32 [%rd5], %r6;
	ret;
}
`

// values is how many integers programs work on.
const values = 64

const size = 4 * values

// program is a device with what programs here use.
type program struct {
	t       testing.TB
	fake    *cudafake.Fake
	ctx     *driver.Context
	fn      *driver.Function
	s, u    *driver.Stream
	x, y, z driver.Ptr
	in, out *driver.Host
	event   *driver.Event
	close   []func() error
}

func newProgram(t testing.TB, o cudafake.Options) *program {
	p := &program{t: t, fake: cudafake.New(o)}
	t.Cleanup(func() { p.fake.Close() })
	d, err := p.fake.Open()
	require.NoError(t, err)
	dev, err := d.Device(0)
	require.NoError(t, err)
	p.ctx, err = dev.Retain()
	require.NoError(t, err)
	require.NoError(t, p.ctx.Enter())
	m, err := p.ctx.Load([]byte(increment))
	require.NoError(t, err)
	p.fn, err = m.Function("increment")
	require.NoError(t, err)
	for _, s := range []**driver.Stream{&p.s, &p.u} {
		*s, err = p.ctx.NewStream(0)
		require.NoError(t, err)
	}
	for _, m := range []*driver.Ptr{&p.x, &p.y, &p.z} {
		*m, err = p.ctx.Alloc(size)
		require.NoError(t, err)
	}
	for _, h := range []**driver.Host{&p.in, &p.out} {
		*h, err = p.ctx.AllocHost(size)
		require.NoError(t, err)
	}
	p.event, err = p.ctx.NewEvent(false)
	require.NoError(t, err)
	for i := range values {
		binary.LittleEndian.PutUint32(p.in.Bytes()[4*i:], uint32(i))
	}
	p.close = []func() error{p.s.Destroy, p.u.Destroy, m.Unload, p.event.Destroy, p.in.Free, p.out.Free,
		func() error { return p.ctx.Free(p.x) }, func() error { return p.ctx.Free(p.y) }, func() error { return p.ctx.Free(p.z) }}
	return p
}

// end destroys everything and returns what the fake has to say.
func (p *program) end() error {
	for _, f := range p.close {
		if p.ctx.Err() == nil {
			p.no(f())
		}
	}
	p.ctx.Leave()
	p.no(p.ctx.Release())
	return p.fake.Close()
}

func (p *program) no(err error) { p.t.Helper(); require.NoError(p.t, err) }

// add queues y = x + c.
func (p *program) add(s *driver.Stream, x, y driver.Ptr, c int) {
	p.t.Helper()
	p.no(s.Launch(p.launch(x, y, c)))
}

func (p *program) launch(x, y driver.Ptr, c int) *driver.Launch {
	l := driver.NewLaunch(p.fn, 3)
	l.Grid(values/32, 1, 1)
	l.Block(32, 1, 1)
	l.Set(0, uint64(x))
	l.Set(1, uint64(y))
	l.Set(2, uint64(c))
	return l
}

// results checks that the host has i + c.
func (p *program) results(c int) {
	p.t.Helper()
	for i := range values {
		require.EqualValues(p.t, i+c, binary.LittleEndian.Uint32(p.out.Bytes()[4*i:]), "value %d", i)
	}
}

// right is a program on two streams without mistakes.
func right(p *program) {
	p.no(p.s.ToDevice(p.x, p.in.Bytes()))
	p.add(p.s, p.x, p.y, 1)
	p.no(p.event.Record(p.s))
	p.no(p.u.Wait(p.event))
	p.add(p.u, p.y, p.z, 10)
	p.no(p.u.ToHost(p.out.Bytes(), p.z))
	p.no(p.u.Synchronize())
	p.results(11)
}

func TestRight(t *testing.T) {
	for seed := range uint64(50) {
		p := newProgram(t, cudafake.Options{Seed: seed})
		right(p)
		right(p)
		require.NoError(t, p.end(), "seed %d", seed)
	}
}

// Mistakes in the order of things are found, whichever order they happened to run
// in.
func TestPlanted(t *testing.T) {
	for _, c := range []struct {
		name string
		kind cudafake.Kind // -1: depends on the order
		says string
		run  func(p *program)
	}{
		{"no wait for an event", cudafake.Race, "kernel increment in stream", func(p *program) {
			p.no(p.s.ToDevice(p.x, p.in.Bytes()))
			p.add(p.s, p.x, p.y, 1)
			p.no(p.event.Record(p.s))
			p.add(p.u, p.y, p.z, 10)
			p.no(p.ctx.Synchronize())
		}},
		{"event recorded too early", cudafake.Race, "nothing says which is first", func(p *program) {
			p.no(p.s.ToDevice(p.x, p.in.Bytes()))
			p.no(p.event.Record(p.s))
			p.add(p.s, p.x, p.y, 1)
			p.no(p.u.Wait(p.event))
			p.add(p.u, p.y, p.z, 10)
			p.no(p.ctx.Synchronize())
		}},
		{"wait after its use", cudafake.Race, "nothing says which is first", func(p *program) {
			p.no(p.s.ToDevice(p.x, p.in.Bytes()))
			p.no(p.event.Record(p.s))
			p.add(p.u, p.x, p.y, 1)
			p.no(p.u.Wait(p.event))
			p.no(p.ctx.Synchronize())
		}},
		{"wrong stream", cudafake.Race, "cuMemcpyHtoDAsync in stream", func(p *program) {
			p.no(p.u.ToDevice(p.x, p.in.Bytes()))
			p.add(p.s, p.x, p.y, 1)
			p.no(p.ctx.Synchronize())
		}},
		{"overwritten while read", cudafake.Race, "reads bytes 0 to 256", func(p *program) {
			p.no(p.s.Fill8(p.x, 0, size))
			p.no(p.event.Record(p.s))
			p.no(p.u.Wait(p.event))
			p.add(p.u, p.x, p.y, 1)
			p.no(p.s.Fill32(p.x, 7, values))
			p.no(p.ctx.Synchronize())
		}},
		{"staging used again", cudafake.Race, "of the pinned memory", func(p *program) {
			p.no(p.s.ToDevice(p.x, p.in.Bytes()))
			p.no(p.u.ToHost(p.in.Bytes(), p.y))
			p.no(p.ctx.Synchronize())
		}},
		{"freed while queued", cudafake.UseAfterFree, "which were freed by cuMemFree", func(p *program) {
			p.no(p.ctx.Synchronize())
			w, err := p.ctx.Alloc(size)
			p.no(err)
			p.no(p.s.ToDevice(p.x, p.in.Bytes()))
			p.add(p.s, p.x, w, 1)
			p.no(p.ctx.Free(w))
			p.add(p.s, w, p.y, 1)
			require.ErrorIs(p.t, p.s.Synchronize(), driver.IllegalAddress)
		}},
		{"freed in another stream", -1, "cuMemFreeAsync", func(p *program) {
			w, err := p.s.Alloc(size)
			p.no(err)
			p.no(p.s.Fill8(w, 1, size))
			p.no(p.s.Synchronize())
			p.add(p.s, w, p.y, 1)
			p.no(p.u.Free(w))
			p.ctx.Synchronize()
		}},
		{"used before it is allocated", cudafake.Race, "lloc", func(p *program) {
			w, err := p.s.Alloc(size)
			p.no(err)
			p.no(p.u.Fill8(w, 1, size))
			p.ctx.Synchronize()
			if p.ctx.Err() == nil {
				p.no(p.s.Free(w))
			}
		}},
		{"freed twice", cudafake.UseAfterFree, "cuMemFree of 256 bytes that cuMemFree freed", func(p *program) {
			w, err := p.ctx.Alloc(size)
			p.no(err)
			p.no(p.ctx.Free(w))
			require.ErrorIs(p.t, p.ctx.Free(w), driver.InvalidValue)
		}},
		{"too many blocks", cudafake.OutOfBounds, "", func(p *program) {
			p.no(p.s.Fill8(p.x, 0, size))
			l := p.launch(p.x, p.y, 1)
			l.Grid(values/32+1, 1, 1)
			p.no(p.s.Launch(l))
			require.ErrorIs(p.t, p.s.Synchronize(), driver.IllegalAddress)
		}},
		{"misaligned", cudafake.KernelFault, "not aligned", func(p *program) {
			p.add(p.s, p.x+2, p.y, 1)
			require.ErrorIs(p.t, p.s.Synchronize(), driver.MisalignedAddress)
		}},
		{"copy too long", cudafake.OutOfBounds, "256 bytes at 4 of 256 bytes of the memory of device 0", func(p *program) {
			p.no(p.s.Copy(p.x+4, p.y, size))
			require.ErrorIs(p.t, p.s.Synchronize(), driver.IllegalAddress)
		}},
		{"nothing was copied", cudafake.Undefined, "kernel increment in stream 1 reads byte 0 of 256 of the memory of device 0, which nothing has written", func(p *program) {
			p.add(p.s, p.x, p.y, 1)
			p.no(p.s.Synchronize())
		}},
		{"copied too little", cudafake.Undefined, "cuMemcpyDtoHAsync in stream 1 reads byte 252 of 256", func(p *program) {
			p.no(p.s.ToDevice(p.x, p.in.Bytes()[:size-4]))
			p.no(p.s.Copy(p.y, p.x, size))
			p.no(p.s.ToHost(p.out.Bytes(), p.y))
			p.no(p.s.Synchronize())
		}},
		{"destroyed event", cudafake.UseAfterFree, "event that cuEventDestroy destroyed", func(p *program) {
			e, err := p.ctx.NewEvent(false)
			p.no(err)
			p.no(e.Destroy())
			require.ErrorIs(p.t, p.s.Wait(e), driver.InvalidHandle)
		}},
		{"unloaded module", cudafake.UseAfterFree, "", func(p *program) {
			m, err := p.ctx.Load([]byte(increment))
			p.no(err)
			fn, err := m.Function("increment")
			p.no(err)
			p.no(m.Unload())
			l := p.launch(p.x, p.y, 1)
			*l = *driver.NewLaunch(fn, 3)
			require.ErrorIs(p.t, p.s.Launch(l), driver.InvalidHandle)
		}},
		{"too many threads", cudafake.BadArgument, "blocks of [1024 2 1] threads", func(p *program) {
			l := p.launch(p.x, p.y, 1)
			l.Block(1024, 2, 1)
			require.ErrorIs(p.t, p.s.Launch(l), driver.InvalidValue)
		}},
		{"memory of a block that is not allowed", cudafake.BadArgument, "the kernel is allowed 49152", func(p *program) {
			l := p.launch(p.x, p.y, 1)
			l.Shared(64 << 10)
			require.ErrorIs(p.t, p.s.Launch(l), driver.InvalidValue)
		}},
		{"leak", cudafake.Leak, "1 of memory of device 0: 64 bytes", func(p *program) {
			_, err := p.ctx.Alloc(64)
			p.no(err)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(10) {
				p := newProgram(t, cudafake.Options{Seed: seed})
				c.run(p)
				err := p.end()
				if c.kind >= 0 {
					require.ErrorContains(t, err, fmt.Sprintf("cudafake: %v: ", c.kind), "seed %d", seed)
				}
				require.ErrorContains(t, err, c.says, "seed %d", seed)
			}
		})
	}
}

// Streams run late: what is not waited for shows old data, in some orders.
func TestLate(t *testing.T) {
	early := 0
	for seed := range uint64(40) {
		p := newProgram(t, cudafake.Options{Seed: seed})
		p.no(p.s.ToDevice(p.x, p.in.Bytes()))
		p.add(p.s, p.x, p.y, 0)
		p.no(p.s.ToHost(p.out.Bytes(), p.y))
		if binary.LittleEndian.Uint32(p.out.Bytes()[4:]) != 1 {
			early++
		}
		p.no(p.s.Synchronize())
		p.results(0)
		require.NoError(t, p.end())
	}
	require.Greater(t, early, 10)
	require.Less(t, early, 40)
}

// What a fake does follows from its seed and the calls.
func TestSeeded(t *testing.T) {
	said := func(seed uint64) string {
		p := newProgram(t, cudafake.Options{Seed: seed})
		for i := range 20 {
			p.no(p.s.Fill32(p.x, uint32(i), values))
			p.no(p.u.Copy(p.y, p.x, size))
			done, err := p.u.Done()
			p.no(err)
			if done {
				p.add(p.u, p.y, p.z, i)
			}
		}
		return p.end().Error()
	}
	require.Equal(t, said(3), said(3))
	different := map[string]bool{}
	for seed := range uint64(8) {
		different[said(seed)] = true
	}
	require.Greater(t, len(different), 1)
}

// A context on another thread, or none, is reported.
func TestWrongContext(t *testing.T) {
	f := cudafake.New(cudafake.Options{Devices: 2})
	d, err := f.Open()
	require.NoError(t, err)
	var ctx [2]*driver.Context
	var s [2]*driver.Stream
	for i := range ctx {
		dev, err := d.Device(i)
		require.NoError(t, err)
		ctx[i], err = dev.Retain()
		require.NoError(t, err)
		s[i], err = ctx[i].NewStream(0)
		require.NoError(t, err)
	}
	require.ErrorIs(t, s[0].Synchronize(), driver.InvalidContext)
	require.NoError(t, ctx[0].Enter())
	require.NoError(t, s[0].Synchronize())
	require.ErrorIs(t, s[1].Synchronize(), driver.InvalidHandle)
	// They nest.
	require.NoError(t, ctx[1].Enter())
	require.NoError(t, s[1].Synchronize())
	ctx[1].Leave()
	require.NoError(t, s[0].Synchronize())
	// An event belongs to one device.
	e, err := ctx[1].NewEvent(false)
	require.NoError(t, err)
	require.ErrorIs(t, e.Record(s[0]), driver.InvalidHandle)
	ctx[0].Leave()
	var said []string
	for _, v := range f.Forgive() {
		require.Equal(t, cudafake.WrongContext, v.Kind)
		said = append(said, v.Text)
	}
	require.Equal(t, "cuStreamSynchronize on a thread that no context is current to\n"+
		"cuStreamSynchronize: a stream of device 1 in the context of device 0\n"+
		"an event of device 1 is recorded in a stream of device 0", strings.Join(said, "\n"))
	require.NoError(t, e.Destroy())
	require.ErrorContains(t, f.Close(), "2 of streams")
}
