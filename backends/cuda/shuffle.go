package cuda

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"ltc/backends/cuda/driver"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/kernel"
	"ltc/soa"
)

// shuffle is a kernel that copies a view of the device's memory that kernels of a
// program do not read or write where it lies: to, or from, where it is dense.
type shuffle struct {
	bytes int  // of an element
	rank  int  // of the view
	table int  // its axis that a table is for; -1: none
	to    bool // the view is what is written
}

// text returns the kernel. Its operands are the table, if there is one, what is read
// and what is written; its sizes the view's shape.
func (s shuffle) text() string {
	var sizes, points, strides []string
	var loops strings.Builder
	for d := range s.rank {
		sizes = append(sizes, fmt.Sprintf("n%d", d))
		points = append(points, fmt.Sprintf("i%d", d))
		strides = append(strides, "*")
		fmt.Fprintf(&loops, "  for i%d < n%d\n", d, d)
	}
	list := func(l []string, more ...string) string { return strings.Join(append(l[:len(l):len(l)], more...), ", ") }
	sides := [2]struct{ dims, strides, at string }{}
	for i := range sides {
		sides[i].dims, sides[i].strides, sides[i].at = list(sizes), list(strides), list(points)
	}
	table, load := "", ""
	if s.table >= 0 {
		table = fmt.Sprintf("t: i64[n%d] strides [1], ", s.table)
		load = fmt.Sprintf("    %%t = load t[i%d]\n", s.table)
		v := &sides[0]
		if s.to {
			v = &sides[1]
		}
		v.dims, v.strides, v.at = list(sizes, fmt.Sprintf("n%d", s.table)), list(strides, "table"), list(points, "%t")
	}
	x, y := &sides[0], &sides[1]
	return fmt.Sprintf("kernel shuffle(%sx: u%d[%s] strides [%s], out y: u%d[%s] strides [%s]) {\n%s  stage {\n%s    %%v = load x[%s]\n    store y[%s], %%v\n  }\n}\n",
		table, 8*s.bytes, x.dims, x.strides, 8*s.bytes, y.dims, y.strides, loops.String(), load, x.at, y.at)
}

// shuffle returns a kernel, which is made when it is first asked for and lasts as long
// as the device.
func (d *Device) shuffle(s shuffle) (*Kernel, error) {
	d.shuffles.Lock()
	defer d.shuffles.Unlock()
	if x, known := d.shuffles.by[s]; known {
		return x.kernel, x.lacks
	}
	k, err := d.makeShuffle(s)
	if err == nil || errors.Is(err, errors.ErrUnsupported) { // which stays so
		if d.shuffles.by == nil {
			d.shuffles.by = map[shuffle]shuffleKernel{}
		}
		d.shuffles.by[s] = shuffleKernel{k, err}
	}
	return k, err
}

// shuffleKernel is the kernel of a shuffle, or why there is none.
type shuffleKernel struct {
	kernel *Kernel
	lacks  error
}

func (d *Device) makeShuffle(s shuffle) (*Kernel, error) {
	ir, err := kernel.Parse(s.text())
	if err == nil {
		err = kernel.Verify(ir)
	}
	if err != nil {
		return nil, err
	}
	k, err := d.Load(ir)
	if err != nil {
		return nil, err
	}
	d.held.add(k.Unload)
	return k, nil
}

// shuffler returns the kernel that copies a view, and where the device finds its table;
// nil if there is none and the host is to copy it. The view is that of a number: see
// [exec.Run.Table].
func (r *runner) shuffler(v *soa.View, number int, to bool) (k *Kernel, table driver.Ptr, err error) {
	s := shuffle{bytes: v.Type.DType.Size(), rank: v.Type.Rank(), table: exec.TableOf(v), to: to}
	if k, err = r.e.on.dev.shuffle(s); err != nil {
		if errors.Is(err, errors.ErrUnsupported) {
			err = nil
		}
		return nil, 0, err
	}
	if v.Table != nil {
		var at unsafe.Pointer
		at, err = r.Table(number, v)
		table = driver.Ptr(uintptr(at))
	}
	return k, table, err
}

// shuffle queues the copy of a transfer's view to its place in the run's block, or, if
// to is set, the other way round.
func (r *runner) shuffle(t *transfer, to bool) error {
	v := &t.view
	var dims, there, here []int64
	for d, n := range soa.Dense(v.Type.Shape) {
		stride := v.Strides[d]
		if d == exec.TableOf(v) {
			stride = 0
		}
		dims, there, here = append(dims, int64(v.Type.Shape[d])), append(there, int64(stride)), append(here, int64(n))
	}
	operands, strides := []driver.Ptr{driver.Ptr(uintptr(v.Start())), r.block.at + driver.Ptr(t.at)}, append(there[:len(there):len(there)], here...)
	if to {
		operands[0], operands[1] = operands[1], operands[0]
		strides = append(here, there...)
	}
	if v.Table != nil {
		operands = append([]driver.Ptr{t.table}, operands...)
	}
	r.unlock()
	r.e.on.launches.views.Add(1)
	return r.q.Run(t.kernel, operands, dims, strides)
}
