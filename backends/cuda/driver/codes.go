package driver

// Codes that callers tell apart.
const (
	Success            Code = 0
	InvalidValue       Code = 1
	OutOfMemory        Code = 2
	NotInitialized     Code = 3
	Deinitialized      Code = 4
	StubLibrary        Code = 34
	NeedsNewerDriver   Code = 36
	DeviceUnavailable  Code = 46
	NoDevice           Code = 100
	InvalidDevice      Code = 101
	InvalidImage       Code = 200
	InvalidContext     Code = 201
	NoBinary           Code = 209
	ECCUncorrectable   Code = 214
	PeerUnsupported    Code = 217
	InvalidPTX         Code = 218
	UnsupportedPTX     Code = 222
	JITDisabled        Code = 223
	InvalidHandle      Code = 400
	IllegalState       Code = 401
	NotFound           Code = 500
	NotReady           Code = 600
	IllegalAddress     Code = 700
	OutOfResources     Code = 701
	LaunchTimeout      Code = 702
	PeerAlreadyEnabled Code = 704
	ContextDestroyed   Code = 709
	Assert             Code = 710
	AlreadyRegistered  Code = 712
	NotRegistered      Code = 713
	IllegalInstruction Code = 715
	MisalignedAddress  Code = 716
	LaunchFailed       Code = 719
	NotSupported       Code = 801
	CaptureUnsupported Code = 900
	CaptureInvalidated Code = 901
	CaptureUnmatched   Code = 903
	CaptureUnjoined    Code = 904
	CaptureIsolation   Code = 905
	CapturedEvent      Code = 907
	CaptureWrongThread Code = 908
	GraphUpdateFailure Code = 910
	Unknown            Code = 999
)

// known is what is known about a code.
type known struct {
	name   string
	advice string // what it means or what to do; empty if the name says it
	lost   bool   // the context is
}

const anew = "the context is lost; its memory is gone, and only a new process gets another"

var codes = map[Code]known{
	Success:            {name: "CUDA_SUCCESS"},
	InvalidValue:       {name: "CUDA_ERROR_INVALID_VALUE", advice: "an argument is out of range"},
	OutOfMemory:        {name: "CUDA_ERROR_OUT_OF_MEMORY", advice: "the device has too little memory left: use smaller batches, release tensors, or see with nvidia-smi who else uses it"},
	NotInitialized:     {name: "CUDA_ERROR_NOT_INITIALIZED"},
	Deinitialized:      {name: "CUDA_ERROR_DEINITIALIZED", advice: "the driver is shutting down"},
	StubLibrary:        {name: "CUDA_ERROR_STUB_LIBRARY", advice: "this libcuda.so is a stub for linkers: take the toolkit's stubs out of the library path, or install the driver"},
	NeedsNewerDriver:   {name: "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", advice: "install a newer driver"},
	DeviceUnavailable:  {name: "CUDA_ERROR_DEVICE_UNAVAILABLE", advice: "another process has the device for itself: see nvidia-smi -q -d COMPUTE"},
	NoDevice:           {name: "CUDA_ERROR_NO_DEVICE", advice: "the driver finds no GPU: see nvidia-smi, and whether CUDA_VISIBLE_DEVICES hides them"},
	InvalidDevice:      {name: "CUDA_ERROR_INVALID_DEVICE"},
	102:                {name: "CUDA_ERROR_DEVICE_NOT_LICENSED"},
	InvalidImage:       {name: "CUDA_ERROR_INVALID_IMAGE", advice: "what was loaded is neither PTX nor machine code for GPUs"},
	InvalidContext:     {name: "CUDA_ERROR_INVALID_CONTEXT", advice: "no context is current to this thread, or another than the call needs: see Context.Enter"},
	NoBinary:           {name: "CUDA_ERROR_NO_BINARY_FOR_GPU", advice: "what was loaded has no code for this GPU: compile for it"},
	ECCUncorrectable:   {name: "CUDA_ERROR_ECC_UNCORRECTABLE", advice: "the device's memory is faulty: " + anew, lost: true},
	PeerUnsupported:    {name: "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", advice: "these devices cannot read each other's memory"},
	InvalidPTX:         {name: "CUDA_ERROR_INVALID_PTX", advice: "the driver rejects the PTX text"},
	220:                {name: "CUDA_ERROR_NVLINK_UNCORRECTABLE", advice: anew, lost: true},
	221:                {name: "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", advice: "libnvidia-ptxjitcompiler.so.1, which comes with the driver, is missing"},
	UnsupportedPTX:     {name: "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", advice: "the PTX text is newer than the driver: install a newer driver"},
	JITDisabled:        {name: "CUDA_ERROR_JIT_COMPILATION_DISABLED", advice: "CUDA_DISABLE_PTX_JIT or CUDA_DISABLE_JIT forbids compiling PTX"},
	226:                {name: "CUDA_ERROR_CONTAINED", advice: anew, lost: true},
	300:                {name: "CUDA_ERROR_INVALID_SOURCE"},
	301:                {name: "CUDA_ERROR_FILE_NOT_FOUND"},
	302:                {name: "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND"},
	303:                {name: "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED"},
	304:                {name: "CUDA_ERROR_OPERATING_SYSTEM", advice: "a call of the operating system failed: is /dev/nvidia* there for this user?"},
	InvalidHandle:      {name: "CUDA_ERROR_INVALID_HANDLE", advice: "it was destroyed, or belongs to another context"},
	IllegalState:       {name: "CUDA_ERROR_ILLEGAL_STATE"},
	NotFound:           {name: "CUDA_ERROR_NOT_FOUND", advice: "there is none of that name"},
	NotReady:           {name: "CUDA_ERROR_NOT_READY"},
	IllegalAddress:     {name: "CUDA_ERROR_ILLEGAL_ADDRESS", advice: "a kernel accessed memory that is not its own: " + anew, lost: true},
	OutOfResources:     {name: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", advice: "the kernel needs more registers or memory of a block than this GPU has for so many threads"},
	LaunchTimeout:      {name: "CUDA_ERROR_LAUNCH_TIMEOUT", advice: "a kernel ran longer than the display lets it: " + anew, lost: true},
	PeerAlreadyEnabled: {name: "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"},
	705:                {name: "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"},
	708:                {name: "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE"},
	ContextDestroyed:   {name: "CUDA_ERROR_CONTEXT_IS_DESTROYED", lost: true},
	Assert:             {name: "CUDA_ERROR_ASSERT", advice: anew, lost: true},
	711:                {name: "CUDA_ERROR_TOO_MANY_PEERS"},
	AlreadyRegistered:  {name: "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
	NotRegistered:      {name: "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
	714:                {name: "CUDA_ERROR_HARDWARE_STACK_ERROR", advice: anew, lost: true},
	IllegalInstruction: {name: "CUDA_ERROR_ILLEGAL_INSTRUCTION", advice: anew, lost: true},
	MisalignedAddress:  {name: "CUDA_ERROR_MISALIGNED_ADDRESS", advice: "a kernel accessed an element at an address that its size does not divide: " + anew, lost: true},
	717:                {name: "CUDA_ERROR_INVALID_ADDRESS_SPACE", advice: anew, lost: true},
	718:                {name: "CUDA_ERROR_INVALID_PC", advice: anew, lost: true},
	LaunchFailed:       {name: "CUDA_ERROR_LAUNCH_FAILED", advice: "a kernel failed while it ran: " + anew, lost: true},
	720:                {name: "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
	800:                {name: "CUDA_ERROR_NOT_PERMITTED", advice: "not allowed here, as in a function of the host that a stream runs"},
	NotSupported:       {name: "CUDA_ERROR_NOT_SUPPORTED", advice: "this device or driver cannot do it"},
	802:                {name: "CUDA_ERROR_SYSTEM_NOT_READY", advice: "the services of the machine's GPUs (nvidia-fabricmanager) are not running yet"},
	803:                {name: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", advice: "the driver in the kernel has another version than libcuda.so.1: restart the machine after an update"},
	804:                {name: "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", advice: "this libcuda.so.1 is one for compatibility, which this GPU may not use: take it out of the library path"},
	CaptureUnsupported: {name: "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", advice: "this cannot be done while a stream is being captured"},
	CaptureInvalidated: {name: "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", advice: "an earlier error ended the capture"},
	902:                {name: "CUDA_ERROR_STREAM_CAPTURE_MERGE"},
	CaptureUnmatched:   {name: "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", advice: "the capture was not begun in this stream"},
	CaptureUnjoined:    {name: "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", advice: "work in another stream was captured and is not waited for"},
	CaptureIsolation:   {name: "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", advice: "the capture would wait for work outside of it"},
	906:                {name: "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
	CapturedEvent:      {name: "CUDA_ERROR_CAPTURED_EVENT", advice: "the event was recorded in a capture"},
	CaptureWrongThread: {name: "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", advice: "a capture ends on the thread that began it"},
	909:                {name: "CUDA_ERROR_TIMEOUT"},
	GraphUpdateFailure: {name: "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", advice: "the graph differs in more than arguments"},
	911:                {name: "CUDA_ERROR_EXTERNAL_DEVICE", lost: true},
	912:                {name: "CUDA_ERROR_INVALID_CLUSTER_SIZE"},
	Unknown:            {name: "CUDA_ERROR_UNKNOWN"},
}
