package cudafake

import (
	"unsafe"

	"ltc/backends/cuda/driver"
)

// functions are what the table of package driver is filled with, by the library's
// names. Arguments have the types that the letters of [driver.Entry] stand for.
var functions = map[string]any{
	"cuInit":             (*Fake).init,
	"cuDriverGetVersion": (*Fake).driverVersion,
	"cuGetErrorName":     (*Fake).errorName,
	"cuGetErrorString":   (*Fake).errorName,

	"cuDeviceGet":               (*Fake).deviceGet,
	"cuDeviceGetCount":          (*Fake).deviceCount,
	"cuDeviceGetName":           (*Fake).deviceName,
	"cuDeviceGetAttribute":      (*Fake).deviceAttribute,
	"cuDeviceGetUuid_v2":        (*Fake).deviceUUID,
	"cuDeviceTotalMem_v2":       (*Fake).deviceMemory,
	"cuDeviceCanAccessPeer":     (*Fake).canAccessPeer,
	"cuDeviceGetDefaultMemPool": (*Fake).defaultPool,

	"cuDevicePrimaryCtxRetain":     (*Fake).retain,
	"cuDevicePrimaryCtxRelease_v2": (*Fake).release,
	"cuCtxPushCurrent_v2":          (*Fake).push,
	"cuCtxPopCurrent_v2":           (*Fake).pop,
	"cuCtxSynchronize":             (*Fake).synchronize,
	"cuCtxGetStreamPriorityRange":  (*Fake).priorities,
	"cuCtxEnablePeerAccess":        (*Fake).enablePeer,

	"cuMemGetInfo_v2":         (*Fake).memInfo,
	"cuMemAlloc_v2":           (*Fake).alloc,
	"cuMemFree_v2":            (*Fake).freeNow,
	"cuMemAllocAsync":         (*Fake).allocAsync,
	"cuMemAllocFromPoolAsync": (*Fake).allocFrom,
	"cuMemFreeAsync":          (*Fake).freeAsync,
	"cuMemPoolCreate":         (*Fake).newPool,
	"cuMemPoolDestroy":        (*Fake).destroyPool,
	"cuMemPoolSetAttribute":   (*Fake).setPool,
	"cuMemPoolGetAttribute":   (*Fake).getPool,
	"cuMemPoolTrimTo":         (*Fake).trimPool,
	"cuMemPoolSetAccess":      (*Fake).allowPool,
	"cuMemHostAlloc":          (*Fake).hostAlloc,
	"cuMemFreeHost":           (*Fake).hostFree,
	"cuMemHostRegister_v2":    (*Fake).hostRegister,
	"cuMemHostUnregister":     (*Fake).hostUnregister,

	"cuMemcpyHtoDAsync_v2": (*Fake).copyIn,
	"cuMemcpyDtoHAsync_v2": (*Fake).copyOut,
	"cuMemcpyDtoDAsync_v2": (*Fake).copyWithin,
	"cuMemcpyPeerAsync":    (*Fake).copyPeer,
	"cuMemsetD8Async":      (*Fake).fill8,
	"cuMemsetD16Async":     (*Fake).fill16,
	"cuMemsetD32Async":     (*Fake).fill32,

	"cuStreamCreateWithPriority": (*Fake).newStream,
	"cuStreamDestroy_v2":         (*Fake).destroyStream,
	"cuStreamSynchronize":        (*Fake).synchronizeStream,
	"cuStreamQuery":              (*Fake).queryStream,
	"cuStreamWaitEvent":          (*Fake).waitEvent,
	"cuLaunchHostFunc":           (*Fake).callHost,
	"cuEventCreate":              (*Fake).newEvent,
	"cuEventDestroy_v2":          (*Fake).destroyEvent,
	"cuEventRecord":              (*Fake).record,
	"cuEventQuery":               (*Fake).queryEvent,
	"cuEventSynchronize":         (*Fake).synchronizeEvent,
	"cuEventElapsedTime":         (*Fake).elapsed,

	"cuModuleLoadDataEx":                          (*Fake).load,
	"cuModuleUnload":                              (*Fake).unload,
	"cuModuleGetFunction":                         (*Fake).getFunction,
	"cuModuleGetGlobal_v2":                        (*Fake).getGlobal,
	"cuFuncSetAttribute":                          (*Fake).setFunction,
	"cuFuncGetAttribute":                          (*Fake).functionAttribute,
	"cuOccupancyMaxActiveBlocksPerMultiprocessor": (*Fake).occupancy,
	"cuLaunchKernel":                              (*Fake).launchKernel,
	"cuLaunchKernelEx":                            (*Fake).launchConfigured,

	"cuStreamBeginCapture_v2":           (*Fake).beginCapture,
	"cuStreamEndCapture":                (*Fake).endCapture,
	"cuStreamIsCapturing":               (*Fake).capturing,
	"cuThreadExchangeStreamCaptureMode": (*Fake).exchangeMode,
	"cuGraphCreate":                     (*Fake).newGraph,
	"cuGraphDestroy":                    (*Fake).destroyGraph,
	"cuGraphAddKernelNode_v2":           (*Fake).addKernel,
	"cuGraphGetNodes":                   (*Fake).graphNodes,
	"cuGraphNodeGetType":                (*Fake).nodeType,
	"cuGraphInstantiateWithFlags":       (*Fake).instantiate,
	"cuGraphUpload":                     (*Fake).upload,
	"cuGraphLaunch":                     (*Fake).launchGraph,
	"cuGraphExecUpdate_v2":              (*Fake).updateExec,
	"cuGraphExecKernelNodeSetParams_v2": (*Fake).setExec,
	"cuGraphExecDestroy":                (*Fake).destroyExec,

	"cuTensorMapEncodeTiled": (*Fake).tensorMap,
}

// tensorMap checks what NVIDIA's documentation asks of a map, and writes down its
// arguments. No kernel can use it yet.
func (f *Fake) tensorMap(to *[16]uint64, kind int32, rank uint32, address uint64, sizes, strides *uint64, box, steps *uint32, _, swizzle, _, _ int32) driver.Code {
	if _, code := f.context("cuTensorMapEncodeTiled"); code != 0 {
		return code
	}
	wrong := uintptr(unsafe.Pointer(to))%64 != 0 || rank < 1 || rank > 5 || address%16 != 0
	if !wrong {
		for i := range rank {
			wrong = wrong || unsafe.Slice(sizes, rank)[i] == 0 || unsafe.Slice(box, rank)[i]-1 > 255
			wrong = wrong || i > 0 && unsafe.Slice(strides, rank-1)[i-1]%16 != 0
		}
	}
	if wrong {
		return f.bad(driver.InvalidValue, BadArgument, "a tensor map of %d dimensions at %#x", rank, address)
	}
	*to = [16]uint64{0x51AB, address, uint64(kind), uint64(rank), uint64(swizzle)}
	copy(to[5:10], unsafe.Slice(sizes, rank))
	copy(to[10:14], unsafe.Slice(strides, rank-1))
	return driver.Success
}
