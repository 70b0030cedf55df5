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

// physical is the memory of the machine, or the limit of the process's control groups if
// that is less, in bytes.
var physical = func() int64 {
	groups, _ := os.ReadFile("/proc/self/cgroup")
	limit := groupLimit(os.DirFS("/sys/fs/cgroup"), string(groups))
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return limit
	}
	return min(limit, int64(uint64(info.Totalram)*uint64(info.Unit)))
}()

// groupLimit returns the least memory limit of the process's control groups and of their
// parents. Groups is the contents of /proc/self/cgroup, and root the file system of control
// groups. In a container the paths may be those of the host, which do not exist inside. Then
// the limit is that of the root, which is the container's. See cgroups(7).
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

// discard gives the pages of memory that is no file back to the system. The memory then reads
// as zeros. A failure is ignored: the pages are freed when the memory is unmapped.
func discard(mem []byte) { _ = syscall.Madvise(mem, syscall.MADV_DONTNEED) }

// reserve makes f n bytes long and allocates the memory or disk blocks for them. Otherwise a
// write to the mapping would end the process when the file system is full.
func reserve(f *os.File, n int) error {
	err := syscall.Fallocate(int(f.Fd()), 0, 0, int64(n))
	if err == syscall.EOPNOTSUPP || err == syscall.ENOSYS {
		return f.Truncate(int64(n))
	}
	return os.NewSyscallError("fallocate", err)
}
