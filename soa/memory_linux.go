package soa

import (
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
)

// physical is the least of the machine's memory and what control groups leave
// the process of it.
var physical = func() int64 {
	groups, _ := os.ReadFile("/proc/self/cgroup")
	limit := groupLimit(os.DirFS("/sys/fs/cgroup"), string(groups))
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return limit
	}
	return min(limit, int64(uint64(info.Totalram)*uint64(info.Unit)))
}()

// groupLimit returns the least limit of the memory control groups that groups,
// the contents of /proc/self/cgroup, names, and of those around them; root is
// where they are mounted. Within a container the path may be the one outside of
// it, which is not there: then the root's counts, which is the container's. See
// cgroups(7).
func groupLimit(root fs.FS, groups string) int64 {
	least := int64(math.MaxInt64)
	for line := range strings.Lines(groups) {
		id, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, found := strings.Cut(rest, ":")
		dir, file := "memory", "memory.limit_in_bytes"
		switch {
		case !found:
			continue
		case id == "0" && controllers == "": // version 2
			dir, file = ".", "memory.max"
		case !strings.Contains(","+controllers+",", ",memory,"):
			continue
		}
		for group = path.Join("/", group); ; group = path.Dir(group) {
			b, err := fs.ReadFile(root, path.Join(dir, "."+group, file))
			if n, bad := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil && bad == nil && n > 0 {
				least = min(least, n) // "max" is no number
			}
			if group == "/" {
				break
			}
		}
	}
	return least
}

// discard gives pages that are no file's back to the system; they read as zeros from
// then on. That it does not do so is no error: they go when unmapped.
func discard(mem []byte) { _ = syscall.Madvise(mem, syscall.MADV_DONTNEED) }

// adviseHuge asks for large pages between two addresses.
func adviseHuge(from, to uintptr) {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_HUGEPAGE)
}

// reserve makes f n bytes long and takes the memory or the disk for them: pages of a
// file system that is full end the process when they are written.
func reserve(f *os.File, n int) error {
	err := syscall.Fallocate(int(f.Fd()), 0, 0, int64(n))
	if err == syscall.EOPNOTSUPP || err == syscall.ENOSYS {
		return f.Truncate(int64(n))
	}
	return os.NewSyscallError("fallocate", err)
}
