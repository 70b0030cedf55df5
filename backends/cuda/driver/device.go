package driver

import (
	"fmt"
	"strings"
	"unsafe"
)

// Device is a GPU. Devices are numbered from 0 as the library lists them, which
// CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER change.
type Device struct {
	driver  *Driver
	ordinal int
	id      int32
	props   Properties
}

// Properties are what a device is. Sizes are in bytes.
type Properties struct {
	Name            string
	UUID            string // GPU-…, as nvidia-smi prints it
	PCI             string // domain:bus:device.0
	Memory          int64
	Major, Minor    int // what kernels it runs: 9, 0 is sm_90
	Multiprocessors int
	Warp            int // threads
	BlockThreads    int // at most, in a block
	Threads         int // at most, in a multiprocessor
	Blocks          int // at most, in a multiprocessor
	Registers       int // of 32 bits, for a block
	SharedBlock     int // memory that a block may have
	SharedOptIn     int // and that it may have where its kernel asks, see Function.AllowShared
	SharedTotal     int // of a multiprocessor
	L2              int
	Clock           int // kHz
	MemoryClock     int // kHz
	MemoryBus       int // bits
	ECC             bool
	Integrated      bool // shares the host's memory
	Pools           bool // has memory in the order of streams
	Clusters        bool // of blocks
	TensorMaps      bool
	Unified         bool // addresses of devices and the host are apart
}

// Target is what compilers call the device's kind: sm_90.
func (p *Properties) Target() string { return fmt.Sprintf("sm_%d%d", p.Major, p.Minor) }

// Devices lists the devices; never empty. The caller owns the list.
func (d *Driver) Devices() []*Device { return append([]*Device(nil), d.devices...) }

// Device returns a device by its number. An error wraps [InvalidDevice].
func (d *Driver) Device(i int) (*Device, error) {
	if i < 0 || i >= len(d.devices) {
		return nil, fmt.Errorf("cuda: there is no device %d: there are %d, numbered from 0 (%w)", i, len(d.devices), InvalidDevice)
	}
	return d.devices[i], nil
}

// Ordinal returns the device's number.
func (d *Device) Ordinal() int { return d.ordinal }

// Properties returns what the device is.
func (d *Device) Properties() Properties { return d.props }

// CanAccess reports whether kernels of this device can access the other's memory,
// once they may: see [Context.EnablePeer].
func (d *Device) CanAccess(other *Device) (bool, error) {
	f := newFrame()
	defer f.free()
	if code := d.driver.set(cuDeviceCanAccessPeer, f, f.result(0), uintptr(d.id), uintptr(other.id)); code != Success {
		return false, d.driver.fail(cuDeviceCanAccessPeer, code)
	}
	return f.int(0) != 0, nil
}

// list asks for the devices.
func (d *Driver) list(f *frame) error {
	if code := d.set(cuDeviceGetCount, f, f.result(0)); code != Success {
		return d.fail(cuDeviceGetCount, code)
	}
	n := f.int(0)
	if n == 0 {
		return d.fail(cuDeviceGetCount, NoDevice)
	}
	for i := range n {
		f.out = [4]uint64{}
		if code := d.set(cuDeviceGet, f, f.result(0), uintptr(i)); code != Success {
			return d.fail(cuDeviceGet, code)
		}
		dev := &Device{driver: d, ordinal: i, id: int32(f.int(0))}
		if err := dev.ask(f); err != nil {
			return fmt.Errorf("device %d: %w", i, err)
		}
		d.devices = append(d.devices, dev)
	}
	return nil
}

// ask fills the properties.
func (d *Device) ask(f *frame) error {
	p := &d.props
	name := make([]byte, 256)
	if code := d.driver.set(cuDeviceGetName, f, f.pin(0, unsafe.Pointer(&name[0])), uintptr(len(name)), uintptr(d.id)); code != Success {
		return d.driver.fail(cuDeviceGetName, code)
	}
	p.Name, _, _ = strings.Cut(string(name), "\x00")
	var id [16]byte
	if code := d.driver.set(cuDeviceGetUuid, f, f.pin(0, unsafe.Pointer(&id)), uintptr(d.id)); code != Success {
		return d.driver.fail(cuDeviceGetUuid, code)
	}
	p.UUID = fmt.Sprintf("GPU-%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	if code := d.driver.set(cuDeviceTotalMem, f, f.result(0), uintptr(d.id)); code != Success {
		return d.driver.fail(cuDeviceTotalMem, code)
	}
	p.Memory = int64(f.out[0])
	for _, a := range attributes {
		n, err := d.attribute(f, a.number)
		if err != nil {
			return err
		}
		switch at := a.at(p).(type) {
		case *int:
			*at = n
		case *bool:
			*at = n != 0
		}
	}
	domain, err := d.attribute(f, 50)
	if err != nil {
		return err
	}
	bus, err := d.attribute(f, 33)
	if err != nil {
		return err
	}
	device, err := d.attribute(f, 34)
	if err != nil {
		return err
	}
	p.PCI = fmt.Sprintf("%04x:%02x:%02x.0", domain, bus, device)
	return nil
}

// attributes are those of NVIDIA's CUdevice_attribute that properties have.
var attributes = []struct {
	number int
	at     func(*Properties) any // *int or *bool
}{
	{1, func(p *Properties) any { return &p.BlockThreads }},
	{8, func(p *Properties) any { return &p.SharedBlock }},
	{10, func(p *Properties) any { return &p.Warp }},
	{12, func(p *Properties) any { return &p.Registers }},
	{13, func(p *Properties) any { return &p.Clock }},
	{16, func(p *Properties) any { return &p.Multiprocessors }},
	{18, func(p *Properties) any { return &p.Integrated }},
	{32, func(p *Properties) any { return &p.ECC }},
	{36, func(p *Properties) any { return &p.MemoryClock }},
	{37, func(p *Properties) any { return &p.MemoryBus }},
	{38, func(p *Properties) any { return &p.L2 }},
	{39, func(p *Properties) any { return &p.Threads }},
	{41, func(p *Properties) any { return &p.Unified }},
	{75, func(p *Properties) any { return &p.Major }},
	{76, func(p *Properties) any { return &p.Minor }},
	{81, func(p *Properties) any { return &p.SharedTotal }},
	{97, func(p *Properties) any { return &p.SharedOptIn }},
	{106, func(p *Properties) any { return &p.Blocks }},
	{115, func(p *Properties) any { return &p.Pools }},
	{120, func(p *Properties) any { return &p.Clusters }},
	{127, func(p *Properties) any { return &p.TensorMaps }},
}

// attribute asks for one. What is newer than the driver counts as 0.
func (d *Device) attribute(f *frame, number int) (int, error) {
	f.out[0] = 0
	switch code := d.driver.set(cuDeviceGetAttribute, f, f.result(0), uintptr(number), uintptr(d.id)); code {
	case Success:
		return f.int(0), nil
	case InvalidValue:
		return 0, nil
	default:
		return 0, d.driver.fail(cuDeviceGetAttribute, code)
	}
}
