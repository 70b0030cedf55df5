package cublaslt

import "fmt"

// Status is what a function of the library returns. As an error it is what
// [libraries.Error] wraps.
type Status int32

// What functions of the library return.
const (
	Success         Status = 0
	NotInitialized  Status = 1
	AllocFailed     Status = 3
	InvalidValue    Status = 7
	ArchMismatch    Status = 8
	MappingError    Status = 11
	ExecutionFailed Status = 13
	InternalError   Status = 14
	NotSupported    Status = 15
	LicenseError    Status = 16
)

// statuses are the names in NVIDIA's header.
var statuses = map[Status]string{
	Success:         "CUBLAS_STATUS_SUCCESS",
	NotInitialized:  "CUBLAS_STATUS_NOT_INITIALIZED",
	AllocFailed:     "CUBLAS_STATUS_ALLOC_FAILED",
	InvalidValue:    "CUBLAS_STATUS_INVALID_VALUE",
	ArchMismatch:    "CUBLAS_STATUS_ARCH_MISMATCH",
	MappingError:    "CUBLAS_STATUS_MAPPING_ERROR",
	ExecutionFailed: "CUBLAS_STATUS_EXECUTION_FAILED",
	InternalError:   "CUBLAS_STATUS_INTERNAL_ERROR",
	NotSupported:    "CUBLAS_STATUS_NOT_SUPPORTED",
	LicenseError:    "CUBLAS_STATUS_LICENSE_ERROR",
}

func (s Status) Error() string {
	if name := statuses[s]; name != "" {
		return fmt.Sprintf("%s (%d)", name, int32(s))
	}
	return fmt.Sprintf("status %d", int32(s))
}
