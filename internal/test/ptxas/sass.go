package ptxas

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"ltc/internal/diag"
)

// waits counts an entry's instructions that wait, and what they wait for, in PTX or in
// machine code.
type waits struct {
	products   int // of warpgroups
	waited     int // for products of warpgroups
	wide       int // for memory of the whole GPU, or more
	local      int // accesses to memory of a thread's own
	committed  int // groups of copies
	waitedCopy int // for groups of copies
}

var (
	entryPTX  = regexp.MustCompile(`(?m)^\.visible \.entry (\w+)\(`)
	entrySASS = regexp.MustCompile(`(?m)^\s*\.section\s+\.text\.(\w+),`)
	patterns  = []struct {
		ptx, sass *regexp.Regexp
		count     func(w *waits) *int
	}{
		{regexp.MustCompile(`\bwgmma\.mma_async\b`), regexp.MustCompile(`\bHGMMA\b`), func(w *waits) *int { return &w.products }},
		{regexp.MustCompile(`\bwgmma\.wait_group\b`), regexp.MustCompile(`\bWARPGROUP\.DEPBAR\b`), func(w *waits) *int { return &w.waited }},
		{regexp.MustCompile(`\bfence\.proxy\.async;|\bfence\.(sc|acq_rel)\.(gpu|sys)\b|\bmembar\.(gl|sys)\b`), regexp.MustCompile(`\bMEMBAR\.\w+\.(GPU|SYS|VC)\b`), func(w *waits) *int { return &w.wide }},
		{regexp.MustCompile(`\b(ld|st)\.local\b`), regexp.MustCompile(`\b(LDL|STL)\b`), func(w *waits) *int { return &w.local }},
		{regexp.MustCompile(`\bcp\.async\.commit_group\b`), regexp.MustCompile(`\bLDGDEPBAR\b`), func(w *waits) *int { return &w.committed }},
		{regexp.MustCompile(`\bcp\.async\.wait_(group|all)\b`), regexp.MustCompile(`\bDEPBAR\.LE SB0\b`), func(w *waits) *int { return &w.waitedCopy }},
	}
)

// countWaits counts for each entry of a text, which is machine code if sass is set.
func countWaits(text string, entry *regexp.Regexp, sass bool) map[string]*waits {
	all := map[string]*waits{}
	at := entry.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		w := &waits{}
		for _, p := range patterns {
			of := p.ptx
			if sass {
				of = p.sass
			}
			*p.count(w) = len(of.FindAllStringIndex(text[m[1]:end], -1))
		}
		all[text[m[2]:m[3]]] = w
	}
	return all
}

var waiting = regexp.MustCompile(`\b(wgmma|cp\.async|mbarrier|fence|membar)\b`)

// MayWait reports whether a module has instructions for which its machine code may wait:
// copies, products of warpgroups, barriers in memory, fences.
func MayWait(ptx string) bool { return waiting.MatchString(ptx) }

// Waits compares a module with its machine code as nvdisasm -c prints it. It is an error
// if an entry waits where its text does not: for memory of the whole GPU, for products of
// warpgroups or for copies. Local memory of a thread is an error, too. Since loops may be
// unrolled, it is the ratio of waits to what they wait for that must not grow.
func Waits(ptx, sass string) error {
	asked, has := countWaits(ptx, entryPTX, false), countWaits(sass, entrySASS, true)
	if len(asked) == 0 {
		return fmt.Errorf("nvdisasm: the module has no entry")
	}
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		a, h := asked[name], has[name]
		switch {
		case h == nil:
			wrong = append(wrong, fmt.Sprintf("there is no machine code of %s", name))
		case a.products > 0 && h.products == 0:
			wrong = append(wrong, fmt.Sprintf("%s has no product of warpgroups, want %d", name, a.products))
		case h.waited*a.products > a.waited*h.products || h.waited > 0 && a.products == 0:
			wrong = append(wrong, fmt.Sprintf("%s waits %s for %s of warpgroups, the text %s for %d", name, diag.Count(h.waited, "time"), diag.Count(h.products, "product"), diag.Count(a.waited, "time"), a.products))
		case h.wide > 0 && a.wide == 0:
			wrong = append(wrong, fmt.Sprintf("%s waits for memory of the whole GPU: MEMBAR", name))
		case h.local > a.local:
			wrong = append(wrong, fmt.Sprintf("%s has %s to a thread's own memory: LDL or STL", name, diag.Count(h.local, "access")))
		case h.committed > 0 && h.waitedCopy*a.committed > a.waitedCopy*h.committed:
			wrong = append(wrong, fmt.Sprintf("%s waits %s for %s of copies, the text %s for %d", name, diag.Count(h.waitedCopy, "time"), diag.Count(h.committed, "group"), diag.Count(a.waitedCopy, "time"), a.committed))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("nvdisasm: %s", strings.Join(wrong, "; "))
}
