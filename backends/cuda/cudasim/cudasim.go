// Package cudasim registers the backend cudasim, for programs and tests where there is
// no GPU: import it for that effect alone.
//
//	import _ "ltc/backends/cuda/cudasim"
//
//	dev, err := lazy.Open("cudasim")
//
// It is the backend of package cuda on a driver that stands in for NVIDIA's, with one GPU
// whose memory, of 8 GiB at most, is the host's. Kernels run as the PTX that a driver
// would be given, in an interpreter, thread by thread: it is slow, and for programs of
// few elements. A kernel's mistakes are the error of its run: memory that is not its own
// or not written yet, misaligned addresses, races between threads, and threads that wait
// for each other for ever.
//
// The package imports only ltc/internal/test/cudasim.
package cudasim

import _ "ltc/internal/test/cudasim" // registers it
