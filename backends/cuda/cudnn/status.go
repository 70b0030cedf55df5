package cudnn

import "fmt"

// Status is what a function of the library returns. As an error it is what
// [libraries.Error] wraps.
type Status int32

// What functions of the library return. Thousands are what sort of thing it is, and
// those below say more of it: see [Status.Is].
const (
	Success         Status = 0
	NotInitialized  Status = 1001
	LoadingFailed   Status = 1008 // a library that the library loads
	BadParam        Status = 2000
	ShapeMismatch   Status = 2008
	NotSupported    Status = 3000
	InternalError   Status = 4000
	AllocFailed     Status = 4003
	ExecutionFailed Status = 5000
)

// statuses are the names in NVIDIA's header.
var statuses = map[Status]string{
	Success:         "CUDNN_STATUS_SUCCESS",
	NotInitialized:  "CUDNN_STATUS_NOT_INITIALIZED",
	LoadingFailed:   "CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED",
	BadParam:        "CUDNN_STATUS_BAD_PARAM",
	ShapeMismatch:   "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH",
	NotSupported:    "CUDNN_STATUS_NOT_SUPPORTED",
	InternalError:   "CUDNN_STATUS_INTERNAL_ERROR",
	AllocFailed:     "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED",
	ExecutionFailed: "CUDNN_STATUS_EXECUTION_FAILED",
}

// sort is the thousands of a status.
func (s Status) sort() Status { return s / 1000 * 1000 }

func (s Status) Error() string {
	name := statuses[s]
	if name == "" && s.sort() != Success {
		name = statuses[s.sort()]
	}
	if name == "" {
		return fmt.Sprintf("status %d", int32(s))
	}
	return fmt.Sprintf("%s (%d)", name, int32(s))
}

// Is reports whether s is what another status says in general: one of 3002, a shape that
// is not supported, is [NotSupported].
func (s Status) Is(other error) bool {
	o, ok := other.(Status)
	return ok && o == o.sort() && o != Success && o == s.sort()
}
