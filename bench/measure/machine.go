package measure

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Machine is where figures were measured.
type Machine struct {
	Processor string   `json:"processor"`
	Cores     int      `json:"cores"`
	Features  []string `json:"features"` // of the processor, those that kernels are made for
	MemoryGiB int      `json:"memory_gib"`
	System    string   `json:"system"`
	Go        string   `json:"go"`
	Date      string   `json:"date"`
}

// Describe asks the system, as far as it tells.
func Describe() Machine {
	m := Machine{Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Date: time.Now().UTC().Format(time.DateOnly)}
	info := fields("/proc/cpuinfo")
	m.Processor = info["model name"]
	if f := info["cpu family"]; f != "" {
		m.Processor = fmt.Sprintf("%s (family %s, model %s)", m.Processor, f, info["model"])
	}
	for _, f := range strings.Fields(info["flags"]) {
		if slices.Contains([]string{"avx2", "fma", "avx512f", "avx512_bf16", "avx512_vnni", "amx_tile"}, f) {
			m.Features = append(m.Features, f)
		}
	}
	var kib int
	_, _ = fmt.Sscan(fields("/proc/meminfo")["MemTotal"], &kib)
	m.MemoryGiB = (kib + 1<<19) >> 20
	return m
}

// fields reads a file of lines "key : value"; the first of a key counts.
func fields(file string) map[string]string {
	all := map[string]string{}
	f, err := os.Open(file)
	if err != nil {
		return all
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, ok := strings.Cut(lines.Text(), ":")
		if key = strings.TrimSpace(key); ok && all[key] == "" {
			all[key] = strings.TrimSpace(value)
		}
	}
	return all
}

// Load1 is the load average of the last minute; nil where /proc does not tell.
func Load1() *float64 {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return nil
	}
	first, _, _ := strings.Cut(string(b), " ")
	x, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return nil
	}
	return &x
}
