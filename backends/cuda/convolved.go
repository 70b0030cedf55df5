package cuda

import (
	"errors"
	"fmt"
	"runtime"

	"ltc/backends/cuda/cudnn"
	"ltc/backends/cuda/driver"
)

// take finds cuDNN's algorithm for a convolution.
func (c *convolution) take(d *Device) (besides int, ok bool) {
	l := &d.convolutions
	if c.work < l.least {
		return 0, false
	}
	h := l.on(d)
	if h == nil {
		return 0, false
	}
	err := d.home.do(func() (err error) {
		c.algorithm, err = h.Algorithm(c.problem, mostBesides)
		return err
	})
	if err != nil && !errors.Is(err, cudnn.NotSupported) {
		l.own(d, err)
	}
	return c.kernelBytes() + aligned(c.algorithm.Workspace), err == nil
}

func (c *convolution) offer() string {
	if c.work < leastWork {
		return ""
	}
	return fmt.Sprintf("where cuDNN is found, that computes %v", &c.problem)
}

// kernelBytes is how much memory the kernels of a convolution take as the library has
// them, if they do not lie so.
func (c *convolution) kernelBytes() int {
	if c.kernels.dense() {
		return 0
	}
	return aligned(int(c.kernels.elements()) * c.kernels.bytes)
}

// convolved is a convolution as it is queued.
type convolved struct {
	of          *convolution
	convolution *cudnn.Convolution
	operands    cudnn.Operands
	// lay copies the kernels to where they lie as the library has them; nil if they do.
	lay *driver.Launch
}

// describe returns nil, too, if there is no kernel that copies kernels.
func (c *convolution) describe(r *runner) queued {
	d := r.e.on.dev
	v := &convolved{of: c}
	var err error
	if !c.kernels.dense() {
		if v.lay, err = d.laying(&c.kernels); err != nil {
			d.convolutions.own(d, err)
			return nil
		}
	}
	if v.convolution, err = d.convolutions.on(d).New(&c.problem, c.algorithm); err != nil {
		d.convolutions.own(d, err)
		return nil
	}
	runtime.AddCleanup(r, (*resource).drop, d.held.add(v.convolution.Destroy))
	return v
}

// laying returns the launch that copies kernels of convolutions; its operands are where
// they are, and where they are to be.
func (d *Device) laying(f *filter) (*driver.Launch, error) {
	k, err := d.shuffle(shuffle{bytes: f.bytes, rank: len(f.sizes), table: -1, unit: f.unit()})
	if err != nil {
		return nil, err
	}
	var strides [2][]int64 // but for those that are known to be 1
	step := int64(1)
	for i := len(f.sizes) - 1; i >= 0; i-- {
		if i+1 != f.unit() {
			strides[0] = append([]int64{f.strides[i]}, strides[0]...)
		}
		if i+1 < len(f.sizes) || f.unit() == 0 {
			strides[1] = append([]int64{step}, strides[1]...)
		}
		step *= f.sizes[i]
	}
	l, err := k.schedule.Launch(f.sizes)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	e, err := k.entry(l)
	if err != nil {
		return nil, err
	}
	launch := driver.NewLaunch(e.function, k.args[0]+k.args[1]+k.args[2])
	configure(launch, l)
	setNumbers(launch, k.args[0], f.sizes, append(strides[0], strides[1]...))
	return launch, nil
}

func (x *convolved) place(r *runner, s *step, at *addresses) bool {
	for i, p := range [...]*place{&x.of.x, &x.of.w, &x.of.y} {
		at[i] = uint64(r.address(s, p.operand) + driver.Ptr(p.at*int64(s.sizes[p.operand])))
	}
	at[3] = uint64(r.besides)
	w := at[1]
	if x.lay != nil {
		w = at[3]
	}
	return (at[0]|w|at[2])%productAlign == 0
}

func (x *convolved) queueIn(in *driver.Stream, at *addresses, n *launches) error {
	x.operands = cudnn.Operands{X: at[0], W: at[1], Y: at[2], Workspace: at[3] + uint64(x.of.kernelBytes())}
	if x.lay != nil {
		x.operands.W = at[3]
		x.lay.Set(0, at[1])
		x.lay.Set(1, at[3])
		if err := in.Launch(x.lay); err != nil {
			return err
		}
		if n != nil {
			n.kernels.Add(1)
		}
	}
	err := x.convolution.Queue(in.Handle(), &x.operands)
	if err == nil && n != nil {
		n.convolutions.Add(1)
	}
	return err
}

func (x *convolved) own(d *Device, why error) {
	d.convolutions.own(d, fmt.Errorf("%w: %v", why, &x.of.problem))
}
