package hostmem

import "syscall"

// adviseHuge asks for large pages between two addresses.
func adviseHuge(from, to uintptr) {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_HUGEPAGE)
}

// adviseSmall asks for small pages between two addresses.
func adviseSmall(from, to uintptr) {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_NOHUGEPAGE)
}
