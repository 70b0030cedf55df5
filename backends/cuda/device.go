package cuda

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/backends/cuda/ptx"
	"ltc/soa"
)

// Device is a GPU that this process uses, from [Open] to the end of the process.
type Device struct {
	ctx    *driver.Context
	memory memory
	// home is the queue of runs that are given none, and of memory that views hold.
	home *Queue
	// space makes views of the device's memory that do not hold it.
	space    *soa.Buffer
	held     resources
	products library
	// shuffles are the kernels that copy views which are not dense.
	shuffles struct {
		sync.Mutex
		by map[shuffle]shuffleKernel
	}
	// logger is that of the program loaded last; nil: none was, or it has none.
	logger atomic.Pointer[slog.Logger]
	// friends are the devices that this one was to have access to.
	friends sync.Map
	// queues are those that were not closed.
	queues struct {
		sync.Mutex
		all []*Queue
	}
}

// list tells which GPUs there are, named cuda:0 and so on.
func list(d *driver.Driver) []backends.Device {
	var all []backends.Device
	for i, dev := range d.Devices() {
		p := dev.Properties()
		all = append(all, backends.Device{Name: name(i), Memory: p.Memory, Properties: map[string]string{
			"name":            p.Name,
			"uuid":            p.UUID,
			"pci":             p.PCI,
			"target":          p.Target(),
			"multiprocessors": strconv.Itoa(p.Multiprocessors),
			"l2":              strconv.Itoa(p.L2),
			"ecc":             strconv.FormatBool(p.ECC),
			"cuda":            fmt.Sprintf("%d.%d", d.Version()/1000, d.Version()%1000/10),
		}})
	}
	return all
}

func name(i int) string { return "cuda:" + strconv.Itoa(i) }

// oldest is the oldest kind of GPU that there are kernels for: sm_80.
const oldest = 8

// ErrOldDevice is wrapped by errors of [Open] for GPUs that kernels do not run on.
var ErrOldDevice = errors.New("the GPU is too old")

// opened are the devices that this process uses.
var opened struct {
	sync.Mutex
	by map[int]*Device
}

// Open returns the GPU of a number; the same each time. An error says why there is
// none: see [List]; it wraps [driver.InvalidDevice] if the number is out of range,
// and [ErrOldDevice] if kernels do not run on it.
func Open(i int) (*Device, error) {
	opened.Lock()
	defer opened.Unlock()
	if d := opened.by[i]; d != nil {
		return d, nil
	}
	d, err := driver.Open()
	if err != nil {
		return nil, err
	}
	dev, err := Use(d, i)
	if err != nil {
		return nil, err
	}
	if opened.by == nil {
		opened.by = map[int]*Device{}
	}
	dev.products.search(d.Version() / 1000)
	opened.by[i] = dev
	return dev, nil
}

// Use is [Open] of a driver's device, each time another: such as that of a driver
// that stands in for NVIDIA's, see [driver.Use]. It has no cuBLASLt:
// see [Device.UseLibrary].
func Use(d *driver.Driver, i int) (*Device, error) {
	dev, err := d.Device(i)
	if err != nil {
		return nil, err
	}
	switch p := dev.Properties(); {
	case p.Major < oldest:
		return nil, fmt.Errorf("%s: %w: %s is an %s, and sm_%d0 is the oldest that there are kernels for", name(i), ErrOldDevice, p.Name, p.Target(), oldest)
	case !p.Pools || !p.Unified:
		return nil, fmt.Errorf("%s: %s has no memory in the order of streams, or no addresses of its own: %w", name(i), p.Name, errors.ErrUnsupported)
	}
	ctx, err := dev.Retain()
	if err != nil {
		return nil, err
	}
	v := &Device{ctx: ctx, products: library{least: leastWork}}
	v.space = soa.OfRemote(v, 0, 0)
	if v.memory.pool, err = ctx.NewPool(); err == nil {
		v.Limit(dev.Properties().Memory)
		err = v.memory.pool.Keep(dev.Properties().Memory)
	}
	if err == nil {
		v.home, err = v.NewQueue()
	}
	if err != nil {
		if v.memory.pool != nil {
			err = errors.Join(err, v.memory.pool.Destroy())
		}
		return nil, errors.Join(err, ctx.Release())
	}
	return v, nil
}

// log returns the logger for what is done for no program.
func (d *Device) log() *slog.Logger {
	if l := d.logger.Load(); l != nil {
		return l
	}
	return slog.Default()
}

// String returns the device's name, as in cuda:0.
func (d *Device) String() string { return name(d.ctx.Device().Ordinal()) }

// Properties returns what the device is.
func (d *Device) Properties() driver.Properties { return d.ctx.Device().Properties() }

// Err returns the [driver.LostError] if the device cannot be used any more; nil
// otherwise.
func (d *Device) Err() error { return d.ctx.Err() }

// EnablePeer lets this device access the other's memory, as kernels and fast
// copies need. An error wraps [driver.PeerUnsupported] where devices cannot.
func (d *Device) EnablePeer(other *Device) error {
	if err := d.ctx.EnablePeer(other.ctx); err != nil {
		return err
	}
	return other.memory.pool.Allow(d.ctx)
}

// target is what kernels for the device may rely on.
func (d *Device) target() ptx.Options {
	p := d.Properties()
	return ptx.Options{Hopper: p.Major == 9 && p.Minor == 0, Processors: p.Multiprocessors, Shared: p.SharedTotal}
}

// targetOf is what kernels of a program may rely on that is compiled with options.
func (d *Device) targetOf(o backends.Options) ptx.Options {
	t := d.target()
	t.TF32, t.Ordered = o.TF32, o.Ordered
	return t
}
