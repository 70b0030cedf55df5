package cudafake

import (
	"fmt"
	"hash/fnv"
	"unsafe"

	"ltc/backends/cuda/cudnn"
	"ltc/backends/cuda/driver"
)

// convolutionFunctions are what the table of package cudnn is filled with.
var convolutionFunctions = map[string]any{
	"cudnnGetVersion":                         (*Fake).cudnnVersion,
	"cudnnGetCudartVersion":                   (*Fake).cudnnRuntime,
	"cudnnCreate":                             (*Fake).newConvolutions,
	"cudnnDestroy":                            (*Fake).destroyConvolutions,
	"cudnnSetStream":                          (*Fake).setConvolutions,
	"cudnnCreateTensorDescriptor":             (*Fake).newTensor,
	"cudnnDestroyTensorDescriptor":            (*Fake).destroyTensor,
	"cudnnSetTensorNdDescriptor":              (*Fake).setTensor,
	"cudnnCreateFilterDescriptor":             (*Fake).newFilter,
	"cudnnDestroyFilterDescriptor":            (*Fake).destroyFilter,
	"cudnnSetFilterNdDescriptor":              (*Fake).setFilter,
	"cudnnCreateConvolutionDescriptor":        (*Fake).newWindow,
	"cudnnDestroyConvolutionDescriptor":       (*Fake).destroyWindow,
	"cudnnSetConvolutionNdDescriptor":         (*Fake).setWindow,
	"cudnnSetConvolutionGroupCount":           (*Fake).setGroups,
	"cudnnSetConvolutionMathType":             (*Fake).setMath,
	"cudnnGetConvolutionForwardAlgorithm_v7":  (*Fake).convolutionAlgorithms,
	"cudnnGetConvolutionForwardWorkspaceSize": (*Fake).convolutionWorkspace,
	"cudnnConvolutionForward":                 (*Fake).convolutionForward,
}

// convolutions is a handle of cuDNN, with the stream that it queues in.
type convolutions struct {
	device *device
	stream uintptr
}

func (c *convolutions) leaked() string { return c.device.kept("handles of cuDNN") }

// mostDims is how many dimensions the library has at most, and leastDims how many.
const (
	leastDims = 4
	mostDims  = 8
)

// tensor is how images lie, with dimensions in the order of images, features and the
// rest. It is set where n is not 0.
type tensor struct {
	t             int32
	n             int
	dims, strides [mostDims]int32
}

func (*tensor) leaked() string { return "descriptors of tensors" }

// filter is the shape of kernels, in the order of results, features and the rest.
type filter struct {
	t, format int32
	n         int
	dims      [mostDims]int32
}

func (*filter) leaked() string { return "descriptors of filters" }

// window is what a convolution computes.
type window struct {
	n                     int // dimensions of images
	pad, stride, dilation [mostDims]int32
	mode, compute         int32
	groups, math          int32
}

func (*window) leaked() string { return "descriptors of convolutions" }

func (f *Fake) cudnnVersion() uint64 { return uint64(f.o.CuDNN) }

func (f *Fake) cudnnRuntime() uint64 { return uint64(f.o.Version) }

func (f *Fake) newConvolutions(to *uintptr) cudnn.Status {
	d, code := f.context("cudnnCreate")
	if code != 0 {
		return cudnn.NotInitialized
	}
	*to = f.handle(&convolutions{device: d})
	return cudnn.Success
}

// convolutions returns a handle that a call is given, in the context that it belongs to.
func (f *Fake) convolutions(call string, h uintptr) (*convolutions, cudnn.Status) {
	c, s := objectOf[*convolutions](f, h, "handle of cuDNN", cudnn.BadParam)
	if s == 0 && f.same(call, c.device, "handle of cuDNN") != 0 {
		return nil, cudnn.BadParam
	}
	return c, s
}

func (f *Fake) destroyConvolutions(h uintptr) cudnn.Status {
	_, s := f.convolutions("cudnnDestroy", h)
	if s == 0 {
		f.handles[h] = destroyed{"cudnnDestroy"}
	}
	return s
}

func (f *Fake) setConvolutions(h, to uintptr) cudnn.Status {
	c, s := f.convolutions("cudnnSetStream", h)
	if s != 0 {
		return s
	}
	if _, s := objectOf[*stream](f, to, "stream", cudnn.BadParam); s != 0 {
		return s
	}
	c.stream = to
	return cudnn.Success
}

func (f *Fake) newTensor(to *uintptr) cudnn.Status {
	*to = f.handle(&tensor{})
	return cudnn.Success
}

func (f *Fake) destroyTensor(h uintptr) cudnn.Status {
	return destroyObject[*tensor](f, h, "descriptor of a tensor", "cudnnDestroyTensorDescriptor", cudnn.BadParam)
}

// listed reads numbers, each of which is to be one at least.
func (f *Fake) listed(what string, n int32, from unsafe.Pointer, least int32) (all [mostDims]int32, s cudnn.Status) {
	if from == nil {
		return all, misused(f, cudnn.BadParam, "%s: no numbers", what)
	}
	copy(all[:], unsafe.Slice((*int32)(from), n))
	for i, x := range all[:n] {
		if x < least {
			return all, misused(f, cudnn.BadParam, "%s: number %d is %d", what, i, x)
		}
	}
	return all, cudnn.Success
}

func (f *Fake) setTensor(h uintptr, t, n int32, dims, strides unsafe.Pointer) cudnn.Status {
	const call = "cudnnSetTensorNdDescriptor"
	to, s := objectOf[*tensor](f, h, "descriptor of a tensor", cudnn.BadParam)
	if s != 0 {
		return s
	}
	if n < leastDims || n > mostDims {
		return misused(f, cudnn.BadParam, "%s with %d dimensions", call, n)
	}
	*to = tensor{t: t, n: int(n)}
	if to.dims, s = f.listed(call, n, dims, 1); s == 0 {
		to.strides, s = f.listed(call, n, strides, 1)
	}
	return s
}

func (f *Fake) newFilter(to *uintptr) cudnn.Status {
	*to = f.handle(&filter{})
	return cudnn.Success
}

func (f *Fake) destroyFilter(h uintptr) cudnn.Status {
	return destroyObject[*filter](f, h, "descriptor of a filter", "cudnnDestroyFilterDescriptor", cudnn.BadParam)
}

func (f *Fake) setFilter(h uintptr, t, format, n int32, dims unsafe.Pointer) cudnn.Status {
	const call = "cudnnSetFilterNdDescriptor"
	to, s := objectOf[*filter](f, h, "descriptor of a filter", cudnn.BadParam)
	if s != 0 {
		return s
	}
	if n < leastDims || n > mostDims {
		return misused(f, cudnn.BadParam, "%s with %d dimensions", call, n)
	}
	*to = filter{t: t, format: format, n: int(n)}
	to.dims, s = f.listed(call, n, dims, 1)
	return s
}

func (f *Fake) newWindow(to *uintptr) cudnn.Status {
	*to = f.handle(&window{groups: 1})
	return cudnn.Success
}

func (f *Fake) destroyWindow(h uintptr) cudnn.Status {
	return destroyObject[*window](f, h, "descriptor of a convolution", "cudnnDestroyConvolutionDescriptor", cudnn.BadParam)
}

func (f *Fake) setWindow(h uintptr, n int32, pad, stride, dilation unsafe.Pointer, mode, compute int32) cudnn.Status {
	const call = "cudnnSetConvolutionNdDescriptor"
	to, s := objectOf[*window](f, h, "descriptor of a convolution", cudnn.BadParam)
	if s != 0 {
		return s
	}
	if n < leastDims-2 || n > mostDims-2 {
		return misused(f, cudnn.BadParam, "%s with %d dimensions", call, n)
	}
	to.n, to.mode, to.compute = int(n), mode, compute
	if to.pad, s = f.listed(call, n, pad, 0); s == 0 {
		to.stride, s = f.listed(call, n, stride, 1)
	}
	if s == 0 {
		to.dilation, s = f.listed(call, n, dilation, 1)
	}
	return s
}

func (f *Fake) setGroups(h uintptr, n int32) cudnn.Status {
	to, s := objectOf[*window](f, h, "descriptor of a convolution", cudnn.BadParam)
	if s == 0 && n < 1 {
		return misused(f, cudnn.BadParam, "a convolution in %d groups", n)
	}
	if s == 0 {
		to.groups = n
	}
	return s
}

func (f *Fake) setMath(h uintptr, math int32) cudnn.Status {
	to, s := objectOf[*window](f, h, "descriptor of a convolution", cudnn.BadParam)
	if s == 0 {
		to.math = math
	}
	return s
}

// convolution is what calls are about, and one that was queued.
type convolution struct {
	x, y      tensor
	w         filter
	window    window
	at        [3]uint64 // x, w and y
	workspace uint64
	n         uint64 // bytes of it
}

// convolution reads the handles that calls share, and checks that they fit.
func (f *Fake) convolution(call string, handle, x, w, window_, y uintptr) (c convolution, s cudnn.Status) {
	if _, s = f.convolutions(call, handle); s != 0 {
		return c, s
	}
	tx, s := objectOf[*tensor](f, x, "descriptor of a tensor", cudnn.BadParam)
	if s != 0 {
		return c, s
	}
	ty, s := objectOf[*tensor](f, y, "descriptor of a tensor", cudnn.BadParam)
	if s != 0 {
		return c, s
	}
	tw, s := objectOf[*filter](f, w, "descriptor of a filter", cudnn.BadParam)
	if s != 0 {
		return c, s
	}
	of, s := objectOf[*window](f, window_, "descriptor of a convolution", cudnn.BadParam)
	if s != 0 {
		return c, s
	}
	c = convolution{x: *tx, y: *ty, w: *tw, window: *of}
	return c, c.check(f, call)
}

// implicit is the number of the algorithm that the fake has, and scratch some memory that
// it takes besides.
const (
	implicit = 1
	scratch  = 1280
)

// offered is NVIDIA's cudnnConvolutionFwdAlgoPerf_t.
type offered struct {
	algorithm   int32
	status      cudnn.Status
	time        float32
	memory      uint64
	determinism int32
	math        int32
	reserved    [3]int32
}

func (f *Fake) convolutionAlgorithms(handle, x, w, window, y uintptr, n int32, got *int32, all *offered) cudnn.Status {
	const call = "cudnnGetConvolutionForwardAlgorithm_v7"
	*got = 0
	c, s := f.convolution(call, handle, x, w, window, y)
	if s != 0 {
		return s
	}
	// Those that are not to be taken come first.
	list := []offered{
		{algorithm: 6, determinism: 1, math: c.window.math, memory: 1 << 10}, // Winograd's
		{algorithm: 0, determinism: 0, math: c.window.math},
		{algorithm: 2, status: cudnn.NotSupported, determinism: 1, math: c.window.math},
		{algorithm: implicit, determinism: 1, math: c.window.math, memory: scratch},
	}
	if n < int32(len(list)) {
		return misused(f, cudnn.BadParam, "%s: %d algorithms are asked for", call, n)
	}
	*got = int32(copy(unsafe.Slice(all, n), list))
	f.asked[c.key()] = true
	return cudnn.Success
}

func (f *Fake) convolutionWorkspace(handle, x, w, window, y uintptr, algorithm int32, to *uint64) cudnn.Status {
	const call = "cudnnGetConvolutionForwardWorkspaceSize"
	_, s := f.convolution(call, handle, x, w, window, y)
	switch {
	case s != 0:
		return s
	case algorithm != implicit:
		return misused(f, cudnn.BadParam, "%s of algorithm %d", call, algorithm)
	}
	*to = scratch
	return cudnn.Success
}

// key tells shapes apart for which algorithms were asked for.
func (c *convolution) key() uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, c.x, c.y, c.w, c.window)
	return h.Sum64()
}

func (f *Fake) convolutionForward(handle uintptr, alpha unsafe.Pointer, tx uintptr, x uint64, tw uintptr, w uint64, window uintptr,
	algorithm int32, workspace, n uint64, beta unsafe.Pointer, ty uintptr, y uint64) cudnn.Status {
	const call = "cudnnConvolutionForward"
	c, s := f.convolution(call, handle, tx, tw, window, ty)
	if s != 0 {
		return s
	}
	h, _ := f.convolutions(call, handle)
	c.at, c.workspace, c.n = [3]uint64{x, w, y}, workspace, scratch
	switch {
	case alpha == nil || beta == nil || *(*float32)(alpha) != 1 || *(*float32)(beta) != 0:
		return misused(f, cudnn.BadParam, "%s with other factors than 1 and 0", call)
	case algorithm != implicit || !f.asked[c.key()]:
		return misused(f, cudnn.BadParam, "%s with algorithm %d, which was not offered for the shape", call, algorithm)
	case n < scratch:
		return misused(f, cudnn.BadParam, "%s with %d bytes of memory besides, of %d", call, n, scratch)
	case workspace == 0 || workspace%256 != 0:
		return misused(f, cudnn.BadParam, "%s with memory besides at %#x, no multiple of 256", call, workspace)
	case h.stream == 0:
		return misused(f, cudnn.BadParam, "%s without a stream", call)
	}
	for i, at := range c.at {
		if at == 0 || at%16 != 0 {
			return misused(f, cudnn.BadParam, "%s with operand %d at %#x, no multiple of 16", call, i, at)
		}
	}
	if f.queue(call, h.stream, &work{kind: driver.KernelNode, convolution: &c}) != 0 {
		return cudnn.ExecutionFailed
	}
	return cudnn.Success
}
