package hostmem

import "runtime/debug"

// Trim returns memory that a start took and a run does not need to the system. It collects garbage, frees
// the idle part of the Go heap, and unloads the pages of the executable and of the loaded libraries. It
// affects the whole process: goroutines that run meanwhile wait for the collection, and read pages of their
// code again, from the system's cache of the file.
//
// Fault-around ([SetFaultAround]) is then off for the executable and the libraries, from Linux 6.7 on: code
// and tables that only a start needs do not come back. Package libllvm sets it again for its library.
func Trim() {
	debug.FreeOSMemory()
	unloadExecutable()
}
