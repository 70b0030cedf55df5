package driver

import "unsafe"

// Launch is a launch of a kernel: how many threads, and the arguments. It may be
// changed and queued as often as one likes: queueing reads it. One goroutine at a
// time uses it.
type Launch struct {
	frame
	fn     *Function
	values []uint64
	params []unsafe.Pointer // to the values
	grid   [3]uint32
	block  [3]uint32
	shared uint32
	// Of launches in clusters:
	cluster   bool
	config    launchConfig
	attribute launchAttribute
	// Of nodes in graphs:
	node kernelNode
}

// launchConfig is NVIDIA's CUlaunchConfig.
type launchConfig struct {
	grid, block [3]uint32
	shared      uint32
	stream      uintptr
	attributes  unsafe.Pointer
	n           uint32
}

// launchAttribute is NVIDIA's CUlaunchAttribute.
type launchAttribute struct {
	id    uint32
	_     uint32
	value [16]uint32
}

const clusterDimension = 4 // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION

// NewLaunch makes a launch of one thread, of a kernel that has n parameters. They
// are of 8 bytes or less, but for those that [Launch.SetMap] sets.
func NewLaunch(k *Function, n int) *Launch {
	l := &Launch{fn: k, values: make([]uint64, n), params: make([]unsafe.Pointer, n), grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}}
	for i := range l.params {
		l.params[i] = unsafe.Pointer(&l.values[i])
	}
	return l
}

// Function returns the kernel.
func (l *Launch) Function() *Function { return l.fn }

// Grid sets how many blocks there are.
func (l *Launch) Grid(x, y, z int) { l.grid = [3]uint32{uint32(x), uint32(y), uint32(z)} }

// Block sets how many threads a block has.
func (l *Launch) Block(x, y, z int) { l.block = [3]uint32{uint32(x), uint32(y), uint32(z)} }

// Shared sets how many bytes of memory a block has; see [Function.AllowShared].
func (l *Launch) Shared(n int) { l.shared = uint32(n) }

// Cluster sets how many blocks share their memory, on devices that have clusters.
func (l *Launch) Cluster(x, y, z int) {
	l.cluster = true
	l.attribute = launchAttribute{id: clusterDimension, value: [16]uint32{uint32(x), uint32(y), uint32(z)}}
}

// Set sets an argument. One of 4 bytes is the lower half.
func (l *Launch) Set(i int, v uint64) {
	l.values[i] = v
	l.params[i] = unsafe.Pointer(&l.values[i])
}

// Change is Set, and reports whether the argument was another. It is not for those
// that are maps.
func (l *Launch) Change(i int, v uint64) bool {
	if l.values[i] == v {
		return false
	}
	l.values[i] = v
	return true
}

// SetMap sets an argument that is a map of a tensor, of 128 bytes. It is read when
// the launch is queued.
func (l *Launch) SetMap(i int, m *TensorMap) { l.params[i] = unsafe.Pointer(m.aligned()) }

// Launch queues a launch.
func (s *Stream) Launch(l *Launch) error {
	if l.cluster {
		return s.launchConfigured(l)
	}
	if err := s.usable(cuLaunchKernel); err != nil {
		return err
	}
	a := &l.args
	a[0], a[1], a[2], a[3] = l.fn.handle, uintptr(l.grid[0]), uintptr(l.grid[1]), uintptr(l.grid[2])
	a[4], a[5], a[6], a[7] = uintptr(l.block[0]), uintptr(l.block[1]), uintptr(l.block[2]), uintptr(l.shared)
	a[8], a[9], a[10] = s.handle, uintptr(unsafe.Pointer(unsafe.SliceData(l.params))), 0
	if code := s.ctx.driver.call(cuLaunchKernel, &l.frame, 11); code != Success {
		return s.ctx.fail(cuLaunchKernel, code, l.fn.name)
	}
	return nil
}

func (s *Stream) launchConfigured(l *Launch) error {
	if err := s.usable(cuLaunchKernelEx); err != nil {
		return err
	}
	l.config = launchConfig{grid: l.grid, block: l.block, shared: l.shared, stream: s.handle, attributes: unsafe.Pointer(&l.attribute), n: 1}
	l.args[0], l.args[1], l.args[2], l.args[3] = uintptr(unsafe.Pointer(&l.config)), l.fn.handle, uintptr(unsafe.Pointer(unsafe.SliceData(l.params))), 0
	if code := s.ctx.driver.call(cuLaunchKernelEx, &l.frame, 4); code != Success {
		return s.ctx.fail(cuLaunchKernelEx, code, l.fn.name)
	}
	return nil
}
