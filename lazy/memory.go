package lazy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/internal/hostmem"
	"ltc/ir/types"
	"ltc/lazy/internal/memory"
	"ltc/soa"
)

// ErrMemory: a device's [MemoryLimit], or the memory of the machine or of a GPU,
// does not suffice.
var ErrMemory = soa.ErrMemory

// MemoryLimit sets the most bytes that the device's values may take: host data
// that was copied, variables, results, and what a program needs to run.
// Exceeding it is an error that wraps [ErrMemory] and changes nothing. Values
// that nothing reaches any more do not count, nor do values below 64 KiB. Nor does
// memory of a GPU's, which the backend cuda has a limit for: cuda.Device.Limit.
func MemoryLimit(bytes int64) Option { return func(d *Device) { d.memory.Limit = bytes } }

// MemoryCacheLimit sets the most bytes that the device keeps for later of values that
// nothing reaches any more; see the environment variable LTC_MEMORY_CACHE_BYTES.
func MemoryCacheLimit(bytes int64) Option { return func(d *Device) { d.memory.Cache = bytes } }

// MemoryStats says what a device's values take, in bytes. Values below 64 KiB
// do not count.
type MemoryStats struct {
	Live       int64 // of values, some of which may wait to be collected
	Peak       int64 // the most that Live has been
	Limit      int64 // that Live may be; 0: no limit but the machine's
	Cached     int64 // kept for later
	CacheLimit int64 // that Cached may be
	OffHeap    int64 // mapped by the whole process: large workspaces, files
}

// String prints the sizes on one line.
func (s MemoryStats) String() string {
	limit := ""
	if s.Limit > 0 {
		limit = " of " + diag.Bytes(s.Limit)
	}
	return fmt.Sprintf("live %s%s, peak %s, cached %s of %s, off-heap %s",
		diag.Bytes(s.Live), limit, diag.Bytes(s.Peak), diag.Bytes(s.Cached), diag.Bytes(s.CacheLimit), diag.Bytes(s.OffHeap))
}

// MemoryStats returns what the device's values take now.
func (d *Device) MemoryStats() MemoryStats {
	if !d.opens() {
		return MemoryStats{}
	}
	p := d.memory.Pool.Stats()
	off, _ := hostmem.OffHeap()
	return MemoryStats{Live: p.Live, Peak: p.Peak, Limit: d.memory.Limit, Cached: p.Cached, CacheLimit: p.Limit, OffHeap: off}
}

// FreeMemoryCache collects garbage and gives up the memory that is kept for later.
func (d *Device) FreeMemoryCache() {
	soa.Collect()
	if !d.opens() {
		return
	}
	d.memory.Pool.Trim()
}

// memoryError makes the error of a value that finds no memory.
func memoryError(at callsite.Site, op string, err error) *OpError {
	kind := ErrMemory
	if !errors.Is(err, ErrMemory) {
		kind = ErrUsage
	}
	return opError(at, op, kind, nil, "%v", err)
}

// TrackLive makes the device remember where each live value was made, for
// [Device.LiveTensors]. It costs a microsecond or two a value; without it,
// nothing.
func TrackLive() Option {
	return func(d *Device) { d.live = &memory.Live{} }
}

// LiveLine is the live values that one line of the program made.
type LiveLine struct {
	Site  string       // file:line
	Kind  string       // variable, value, result
	Types []types.Type // of the values, each once, at most liveTypes of them
	Count int
	Bytes int64
}

// liveTypes bounds LiveLine.Types.
const liveTypes = 4

// LiveReport is the live values of a device by the line that made them, those
// with the most bytes first.
type LiveReport struct {
	Lines []LiveLine
	Count int
	Bytes int64
}

// String prints a line for each line, the first 50 of them.
func (r LiveReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s", diag.Count(r.Count, "live tensor"), diag.Bytes(r.Bytes))
	const most = 50
	for i, l := range r.Lines {
		if i == most {
			fmt.Fprintf(&b, "\n%s more", diag.Count(int64(len(r.Lines)-most), "line"))
			break
		}
		names := make([]string, len(l.Types))
		for j, t := range l.Types {
			names[j] = t.String()
		}
		fmt.Fprintf(&b, "\n%10s %6d × %-8s %s  %s", diag.Bytes(l.Bytes), l.Count, l.Kind, l.Site, strings.Join(names, ", "))
	}
	return b.String()
}

// LiveTensors collects garbage, and returns the values that something still
// reaches: variables, host data and results, each counted once however many
// tensors share it. The report is empty unless the device was opened with
// [TrackLive] or LTC_LIVE=1.
func (d *Device) LiveTensors() LiveReport {
	if d == nil || d.live == nil {
		return LiveReport{}
	}
	soa.Collect()
	type key struct {
		site callsite.Site
		kind string
	}
	lines := map[key]*LiveLine{}
	var r LiveReport
	for _, v := range d.live.Values() {
		k := key{v.Site, v.Kind}
		line := lines[k]
		if line == nil {
			line = &LiveLine{Site: v.Site.String(), Kind: v.Kind}
			lines[k] = line
		}
		line.Count++
		line.Bytes += int64(v.Type.Bytes())
		if len(line.Types) < liveTypes && !slices.ContainsFunc(line.Types, v.Type.Equal) {
			line.Types = append(line.Types, v.Type)
		}
		r.Count++
		r.Bytes += int64(v.Type.Bytes())
	}
	for _, line := range lines {
		slices.SortFunc(line.Types, func(a, b types.Type) int { return cmp.Compare(a.String(), b.String()) })
		r.Lines = append(r.Lines, *line)
	}
	slices.SortFunc(r.Lines, func(a, b LiveLine) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Site, b.Site), cmp.Compare(a.Kind, b.Kind))
	})
	return r
}

// born remembers where v was made, if the device tracks that.
func (d *Device) born(v *value, kind string, at callsite.Site) {
	if d.live != nil {
		memory.Track(d.live, v, memory.Value{Site: at, Kind: kind, Type: v.view.Type})
	}
}
