package lazy

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"weak"

	"ltc/internal/callsite"
	"ltc/ir/types"
	"ltc/soa"
)

// TrackLive makes the device remember where each live value was made, for
// [Device.LiveTensors]. It costs a microsecond or two a value; without it,
// nothing.
func TrackLive() Option {
	return func(d *Device) { d.live = &liveValues{of: map[uint64]liveValue{}} }
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
	fmt.Fprintf(&b, "%s, %s", plural(int64(r.Count), "live tensor"), soa.Size(r.Bytes))
	const most = 50
	for i, l := range r.Lines {
		if i == most {
			fmt.Fprintf(&b, "\n%s more", plural(int64(len(r.Lines)-most), "line"))
			break
		}
		names := make([]string, len(l.Types))
		for j, t := range l.Types {
			names[j] = t.String()
		}
		fmt.Fprintf(&b, "\n%10s %6d × %-8s %s  %s", soa.Size(l.Bytes), l.Count, l.Kind, l.Site, strings.Join(names, ", "))
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
	return d.live.report()
}

// liveValues are the values of a device that have not been found unreachable.
type liveValues struct {
	mu   sync.Mutex
	next uint64
	of   map[uint64]liveValue
}

type liveValue struct {
	v    weak.Pointer[value] // nil before died is called, which may take a while
	site callsite.Site
	kind string
	typ  types.Type
}

// born remembers where v was made. It may be called on nil.
func (l *liveValues) born(v *value, kind string, at callsite.Site) {
	if l == nil {
		return
	}
	l.mu.Lock()
	id := l.next
	l.next++
	l.of[id] = liveValue{weak.Make(v), at, kind, v.view.Type}
	l.mu.Unlock()
	runtime.AddCleanup(v, l.died, id)
}

func (l *liveValues) died(id uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.of, id)
}

func (l *liveValues) report() LiveReport {
	l.mu.Lock()
	defer l.mu.Unlock()
	type key struct {
		site callsite.Site
		kind string
	}
	lines := map[key]*LiveLine{}
	var r LiveReport
	for _, v := range l.of {
		if v.v.Value() == nil {
			continue
		}
		k := key{v.site, v.kind}
		line := lines[k]
		if line == nil {
			line = &LiveLine{Site: v.site.String(), Kind: v.kind}
			lines[k] = line
		}
		line.Count++
		line.Bytes += int64(v.typ.Bytes())
		if len(line.Types) < liveTypes && !slices.ContainsFunc(line.Types, v.typ.Equal) {
			line.Types = append(line.Types, v.typ)
		}
		r.Count++
		r.Bytes += int64(v.typ.Bytes())
	}
	for _, line := range slices.Collect(maps.Values(lines)) {
		slices.SortFunc(line.Types, func(a, b types.Type) int { return cmp.Compare(a.String(), b.String()) })
		r.Lines = append(r.Lines, *line)
	}
	slices.SortFunc(r.Lines, func(a, b LiveLine) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Site, b.Site), cmp.Compare(a.Kind, b.Kind))
	})
	return r
}
