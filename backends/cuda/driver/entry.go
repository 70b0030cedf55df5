package driver

// Entry is a function of the driver's library, as the library exports it: its
// name has a version where it got a new meaning over time.
type Entry struct {
	Name string
	// Args has a letter for each argument:
	//
	//	i  int, and all enumerations; devices are ints
	//	b, w, u  unsigned of 8, 16, 32 bits
	//	q, z  unsigned of 64 bits; z is a size
	//	d  an address in a device's memory
	//	h  a handle of the library's
	//	p  an address in the host's memory
	Args string
}

// Entries lists the functions that this package calls. The caller owns the list.
func Entries() []Entry { return append([]Entry(nil), entries[:]...) }

// entry is a place in the table.
type entry int

const (
	cuInit entry = iota
	cuDriverGetVersion
	cuGetErrorName
	cuGetErrorString
	cuDeviceGet
	cuDeviceGetCount
	cuDeviceGetName
	cuDeviceGetAttribute
	cuDeviceGetUuid
	cuDeviceTotalMem
	cuDeviceCanAccessPeer
	cuDeviceGetDefaultMemPool
	cuDevicePrimaryCtxRetain
	cuDevicePrimaryCtxRelease
	cuCtxPushCurrent
	cuCtxPopCurrent
	cuCtxSynchronize
	cuCtxGetStreamPriorityRange
	cuCtxEnablePeerAccess
	cuMemGetInfo
	cuMemAlloc
	cuMemFree
	cuMemAllocAsync
	cuMemAllocFromPoolAsync
	cuMemFreeAsync
	cuMemPoolCreate
	cuMemPoolDestroy
	cuMemPoolSetAttribute
	cuMemPoolGetAttribute
	cuMemPoolTrimTo
	cuMemPoolSetAccess
	cuMemHostAlloc
	cuMemFreeHost
	cuMemHostRegister
	cuMemHostUnregister
	cuMemcpyHtoDAsync
	cuMemcpyDtoHAsync
	cuMemcpyDtoDAsync
	cuMemcpyPeerAsync
	cuMemsetD8Async
	cuMemsetD16Async
	cuMemsetD32Async
	cuStreamCreateWithPriority
	cuStreamDestroy
	cuStreamSynchronize
	cuStreamQuery
	cuStreamWaitEvent
	cuLaunchHostFunc
	cuEventCreate
	cuEventDestroy
	cuEventRecord
	cuEventQuery
	cuEventSynchronize
	cuEventElapsedTime
	cuModuleLoadDataEx
	cuModuleUnload
	cuModuleGetFunction
	cuModuleGetGlobal
	cuLinkCreate
	cuLinkAddData
	cuLinkComplete
	cuLinkDestroy
	cuFuncSetAttribute
	cuFuncGetAttribute
	cuOccupancyMaxActiveBlocks
	cuLaunchKernel
	cuLaunchKernelEx
	cuStreamBeginCapture
	cuStreamEndCapture
	cuStreamIsCapturing
	cuThreadExchangeCaptureMode
	cuGraphCreate
	cuGraphDestroy
	cuGraphAddKernelNode
	cuGraphAddChildGraphNode
	cuGraphGetNodes
	cuGraphNodeGetType
	cuGraphInstantiate
	cuGraphUpload
	cuGraphLaunch
	cuGraphExecUpdate
	cuGraphExecKernelNodeSetParams
	cuGraphExecChildGraphNodeSetParams
	cuGraphExecDestroy
	cuTensorMapEncodeTiled
	count
)

// entries is the table. All of it is in the oldest driver that will do.
var entries = [count]Entry{
	cuInit:             {"cuInit", "u"},
	cuDriverGetVersion: {"cuDriverGetVersion", "p"},
	cuGetErrorName:     {"cuGetErrorName", "ip"},
	cuGetErrorString:   {"cuGetErrorString", "ip"},

	cuDeviceGet:               {"cuDeviceGet", "pi"},
	cuDeviceGetCount:          {"cuDeviceGetCount", "p"},
	cuDeviceGetName:           {"cuDeviceGetName", "pii"},
	cuDeviceGetAttribute:      {"cuDeviceGetAttribute", "pii"},
	cuDeviceGetUuid:           {"cuDeviceGetUuid_v2", "pi"},
	cuDeviceTotalMem:          {"cuDeviceTotalMem_v2", "pi"},
	cuDeviceCanAccessPeer:     {"cuDeviceCanAccessPeer", "pii"},
	cuDeviceGetDefaultMemPool: {"cuDeviceGetDefaultMemPool", "pi"},

	cuDevicePrimaryCtxRetain:    {"cuDevicePrimaryCtxRetain", "pi"},
	cuDevicePrimaryCtxRelease:   {"cuDevicePrimaryCtxRelease_v2", "i"},
	cuCtxPushCurrent:            {"cuCtxPushCurrent_v2", "h"},
	cuCtxPopCurrent:             {"cuCtxPopCurrent_v2", "p"},
	cuCtxSynchronize:            {"cuCtxSynchronize", ""},
	cuCtxGetStreamPriorityRange: {"cuCtxGetStreamPriorityRange", "pp"},
	cuCtxEnablePeerAccess:       {"cuCtxEnablePeerAccess", "hu"},

	cuMemGetInfo:            {"cuMemGetInfo_v2", "pp"},
	cuMemAlloc:              {"cuMemAlloc_v2", "pz"},
	cuMemFree:               {"cuMemFree_v2", "d"},
	cuMemAllocAsync:         {"cuMemAllocAsync", "pzh"},
	cuMemAllocFromPoolAsync: {"cuMemAllocFromPoolAsync", "pzhh"},
	cuMemFreeAsync:          {"cuMemFreeAsync", "dh"},
	cuMemPoolCreate:         {"cuMemPoolCreate", "pp"},
	cuMemPoolDestroy:        {"cuMemPoolDestroy", "h"},
	cuMemPoolSetAttribute:   {"cuMemPoolSetAttribute", "hip"},
	cuMemPoolGetAttribute:   {"cuMemPoolGetAttribute", "hip"},
	cuMemPoolTrimTo:         {"cuMemPoolTrimTo", "hz"},
	cuMemPoolSetAccess:      {"cuMemPoolSetAccess", "hpz"},
	cuMemHostAlloc:          {"cuMemHostAlloc", "pzu"},
	cuMemFreeHost:           {"cuMemFreeHost", "p"},
	cuMemHostRegister:       {"cuMemHostRegister_v2", "pzu"},
	cuMemHostUnregister:     {"cuMemHostUnregister", "p"},

	cuMemcpyHtoDAsync: {"cuMemcpyHtoDAsync_v2", "dpzh"},
	cuMemcpyDtoHAsync: {"cuMemcpyDtoHAsync_v2", "pdzh"},
	cuMemcpyDtoDAsync: {"cuMemcpyDtoDAsync_v2", "ddzh"},
	cuMemcpyPeerAsync: {"cuMemcpyPeerAsync", "dhdhzh"},
	cuMemsetD8Async:   {"cuMemsetD8Async", "dbzh"},
	cuMemsetD16Async:  {"cuMemsetD16Async", "dwzh"},
	cuMemsetD32Async:  {"cuMemsetD32Async", "duzh"},

	cuStreamCreateWithPriority: {"cuStreamCreateWithPriority", "pui"},
	cuStreamDestroy:            {"cuStreamDestroy_v2", "h"},
	cuStreamSynchronize:        {"cuStreamSynchronize", "h"},
	cuStreamQuery:              {"cuStreamQuery", "h"},
	cuStreamWaitEvent:          {"cuStreamWaitEvent", "hhu"},
	cuLaunchHostFunc:           {"cuLaunchHostFunc", "hpp"},
	cuEventCreate:              {"cuEventCreate", "pu"},
	cuEventDestroy:             {"cuEventDestroy_v2", "h"},
	cuEventRecord:              {"cuEventRecord", "hh"},
	cuEventQuery:               {"cuEventQuery", "h"},
	cuEventSynchronize:         {"cuEventSynchronize", "h"},
	cuEventElapsedTime:         {"cuEventElapsedTime", "phh"},

	cuModuleLoadDataEx:         {"cuModuleLoadDataEx", "ppupp"},
	cuModuleUnload:             {"cuModuleUnload", "h"},
	cuModuleGetFunction:        {"cuModuleGetFunction", "php"},
	cuModuleGetGlobal:          {"cuModuleGetGlobal_v2", "pphp"},
	cuLinkCreate:               {"cuLinkCreate_v2", "uppp"},
	cuLinkAddData:              {"cuLinkAddData_v2", "hipzpupp"},
	cuLinkComplete:             {"cuLinkComplete", "hpp"},
	cuLinkDestroy:              {"cuLinkDestroy", "h"},
	cuFuncSetAttribute:         {"cuFuncSetAttribute", "hii"},
	cuFuncGetAttribute:         {"cuFuncGetAttribute", "pih"},
	cuOccupancyMaxActiveBlocks: {"cuOccupancyMaxActiveBlocksPerMultiprocessor", "phiz"},
	cuLaunchKernel:             {"cuLaunchKernel", "huuuuuuuhpp"},
	cuLaunchKernelEx:           {"cuLaunchKernelEx", "phpp"},

	cuStreamBeginCapture:               {"cuStreamBeginCapture_v2", "hi"},
	cuStreamEndCapture:                 {"cuStreamEndCapture", "hp"},
	cuStreamIsCapturing:                {"cuStreamIsCapturing", "hp"},
	cuThreadExchangeCaptureMode:        {"cuThreadExchangeStreamCaptureMode", "p"},
	cuGraphCreate:                      {"cuGraphCreate", "pu"},
	cuGraphDestroy:                     {"cuGraphDestroy", "h"},
	cuGraphAddKernelNode:               {"cuGraphAddKernelNode_v2", "phpzp"},
	cuGraphAddChildGraphNode:           {"cuGraphAddChildGraphNode", "phpzh"},
	cuGraphGetNodes:                    {"cuGraphGetNodes", "hpp"},
	cuGraphNodeGetType:                 {"cuGraphNodeGetType", "hp"},
	cuGraphInstantiate:                 {"cuGraphInstantiateWithFlags", "phq"},
	cuGraphUpload:                      {"cuGraphUpload", "hh"},
	cuGraphLaunch:                      {"cuGraphLaunch", "hh"},
	cuGraphExecUpdate:                  {"cuGraphExecUpdate_v2", "hhp"},
	cuGraphExecKernelNodeSetParams:     {"cuGraphExecKernelNodeSetParams_v2", "hhp"},
	cuGraphExecChildGraphNodeSetParams: {"cuGraphExecChildGraphNodeSetParams", "hhh"},
	cuGraphExecDestroy:                 {"cuGraphExecDestroy", "h"},

	cuTensorMapEncodeTiled: {"cuTensorMapEncodeTiled", "piupppppiiii"},
}
