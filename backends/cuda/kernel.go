package cuda

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"ltc/backends/cuda/driver"
	"ltc/backends/cuda/ptx"
	"ltc/backends/kit/kernel"
	"ltc/internal/diag"
)

// Kernel is a kernel that is compiled for a device. It may be queued by any
// goroutine.
type Kernel struct {
	dev      *Device
	name     string
	module   *driver.Module
	schedule *ptx.Schedule

	args [3]int // operands, run-time sizes and strides

	mu      sync.Mutex
	entries map[int]*kernelEntry // by variant, those that were launched
}

// kernelEntry is one of the entries of a kernel's module.
type kernelEntry struct {
	function *driver.Function
	launch   *driver.Launch
	shared   int // the most memory of a block that launches may ask for
	// byMaps is the launch of an entry that takes tensor maps, for the last sizes and
	// strides.
	byMaps *mapLaunch
	of     []int64
}

// entryName is the name of a kernel's first entry.
const entryName = "kernel"

// Load compiles a kernel that has passed [kernel.Verify]; it lasts until
// [Kernel.Unload]. The error wraps [errors.ErrUnsupported] if there is no text for
// the kernel.
func (d *Device) Load(k *kernel.Kernel) (*Kernel, error) {
	s, err := d.target().Plan(k)
	if err != nil {
		return nil, err
	}
	text, err := ptx.Entry(entryName, k, s)
	if err != nil {
		return nil, err
	}
	m, err := d.ctx.Load([]byte(d.target().Module(text)))
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.Name, err)
	}
	loaded := &Kernel{dev: d, name: k.Name, module: m, schedule: s, args: [3]int{len(k.Params), k.Sizes, k.StrideArgs()}, entries: map[int]*kernelEntry{}}
	if _, err := loaded.entry(ptx.Launch{}); err != nil {
		return nil, errors.Join(err, m.Unload())
	}
	return loaded, nil
}

// entry returns the entry that a launch takes. k is locked, or new.
func (k *Kernel) entry(l ptx.Launch) (*kernelEntry, error) {
	if e := k.entries[l.Variant]; e != nil {
		return e, nil
	}
	f, err := k.module.Function(l.Entry(entryName))
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.name, err)
	}
	e := &kernelEntry{function: f, launch: driver.NewLaunch(f, k.args[0]+k.args[1]+k.args[2]), shared: k.dev.Properties().SharedBlock}
	k.entries[l.Variant] = e
	return e, nil
}

// Unload gives the kernel up. It must not be queued any more.
func (k *Kernel) Unload() error { return k.module.Unload() }

// Run queues a launch on the operands whose first elements are at the given
// addresses, with run-time sizes and strides as [kernel.Call] has them. The error
// wraps [errors.ErrUnsupported] if the device cannot run it for these sizes.
func (q *Queue) Run(k *Kernel, operands []driver.Ptr, sizes, strides []int64) error {
	if k.dev != q.dev {
		return fmt.Errorf("%v: kernel %s of %v", q.dev, k.name, k.dev)
	}
	if given := [3]int{len(operands), len(sizes), len(strides)}; given != k.args {
		return fmt.Errorf("%v: kernel %s with %v operands, sizes and strides: it has %v", q.dev, k.name, given, k.args)
	}
	l, err := k.schedule.Launch(sizes)
	if err != nil {
		return err
	}
	if l.Grid[0]*l.Grid[1]*l.Grid[2] == 0 {
		return nil
	}
	b, maps, ok := k.schedule.MapLaunch(l, sizes, strides)
	for _, m := range maps {
		ok = ok && operands[m.Operand]%ptx.MapAlign == 0
	}
	if ok {
		l = b
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	e, err := k.entry(l)
	if err != nil {
		return err
	}
	if l.Shared > e.shared {
		if most := k.dev.Properties().SharedOptIn; l.Shared > most {
			return fmt.Errorf("%v: kernel %s takes %s of a block's memory, of at most %d: %w", q.dev, k.name, diag.Count(l.Shared, "byte"), most, errors.ErrUnsupported)
		}
		if err := e.function.AllowShared(l.Shared); err != nil {
			return err
		}
		e.shared = l.Shared
	}
	launch := e.launch
	if ok {
		if of := slices.Concat(sizes, strides); !slices.Equal(of, e.of) || e.byMaps == nil {
			e.byMaps, e.of = newMapLaunch(e.function, k.args[0]+k.args[1]+k.args[2], l, maps), of
		}
		launch = e.byMaps.launch
	}
	for i, p := range operands {
		launch.Set(i, uint64(p))
	}
	setNumbers(launch, len(operands), sizes, strides)
	configure(launch, l)
	return q.do(func() error {
		if ok {
			if err := e.byMaps.place(q.dev, func(i int) driver.Ptr { return operands[i] }); err != nil {
				return err
			}
		}
		return q.stream.Launch(launch)
	})
}
