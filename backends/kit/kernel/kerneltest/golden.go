package kerneltest

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends/kit/kernel"
	"ltc/internal/diag"
	"ltc/ir/types"
)

// testdata has an archive for each kind of kernel. NAME.kernel is the text of a
// kernel, NAME.run, NAME.run2, … are launches of it:
//
//	n0 = 2, n1 = 3
//	x: 1.0 2.0 3.0 4.0 5.0 6.0
//	y = 2.0 4.0 6.0 8.0 10.0 12.0
//
// with the elements of operands before (:) and after (=), in row-major order.
// What is not there before has elements of 0.
//
//go:embed testdata/*.txtar
var testdata embed.FS

// Run is a launch of a golden kernel: its name and what memory holds before and
// after. Its memory is dense.
type Run struct {
	Name          string
	Before, After *Memory
}

// Golden is a golden kernel.
type Golden struct {
	File   string
	Kernel *kernel.Kernel
	Runs   []Run
}

// Goldens returns all golden kernels.
func Goldens(t testing.TB) []Golden {
	t.Helper()
	files, err := fs.Glob(testdata, "testdata/*.txtar")
	require.NoError(t, err)
	var all []Golden
	for _, name := range files {
		text, err := testdata.ReadFile(name)
		require.NoError(t, err)
		goldens, err := parseArchive(path.Base(name), txtar.Parse(text))
		require.NoError(t, err, name)
		all = append(all, goldens...)
	}
	return all
}

// Kernel returns the golden kernel of a name.
func Kernel(t testing.TB, name string) *kernel.Kernel {
	t.Helper()
	for _, g := range Goldens(t) {
		if g.Kernel.Name == name {
			return g.Kernel
		}
	}
	require.FailNow(t, "there is no golden kernel "+name)
	return nil
}

func parseArchive(file string, a *txtar.Archive) ([]Golden, error) {
	var all []Golden
	for _, f := range a.Files {
		name, kind, _ := strings.Cut(f.Name, ".")
		if kind == "kernel" {
			k, err := kernel.Parse(string(f.Data))
			if err != nil {
				return nil, err
			}
			if err := kernel.Verify(k); err != nil {
				return nil, err
			}
			if k.Name != name {
				return nil, fmt.Errorf("%s is kernel %s", f.Name, k.Name)
			}
			all = append(all, Golden{File: file, Kernel: k})
			continue
		}
		i := slices.IndexFunc(all, func(g Golden) bool { return g.Kernel.Name == name })
		if i < 0 || !strings.HasPrefix(kind, "run") {
			return nil, fmt.Errorf("%s: there is no such kernel before, or it is no run", f.Name)
		}
		r, err := parseRun(all[i].Kernel, f.Name, string(f.Data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		all[i].Runs = append(all[i].Runs, r)
	}
	return all, nil
}

func parseRun(k *kernel.Kernel, name, text string) (Run, error) {
	sizes, rest := make([]int64, k.Sizes), text
	if k.Sizes > 0 {
		var line string
		line, rest, _ = strings.Cut(text, "\n")
		for i, s := range strings.Split(line, ", ") {
			if _, err := fmt.Sscanf(s, fmt.Sprintf("n%d = %%d", i), &sizes[min(i, k.Sizes-1)]); err != nil || i >= k.Sizes {
				return Run{}, fmt.Errorf("%q: want the sizes as in n0 = 2, n1 = 3", line)
			}
		}
	}
	r := Run{Name: name, Before: NewMemory(k, sizes, Dense, 0xA5)}
	var after [][]uint64
	for p := range k.Params {
		values, err := elements(rest, k.Params[p].Name, ":", k.Params[p].DType)
		if err != nil {
			return Run{}, err
		}
		if n := len(r.Before.Get(p)); values != nil && len(values) != n {
			return Run{}, fmt.Errorf("%s of %s, want %d", diag.Count(len(values), "element"), k.Params[p].Name, n)
		}
		if values != nil {
			r.Before.Set(p, values)
		}
		values, err = elements(rest, k.Params[p].Name, " =", k.Params[p].DType)
		if err != nil {
			return Run{}, err
		}
		after = append(after, values)
	}
	r.After = r.Before.Like(Dense, 0xA5)
	for p, values := range after {
		if values != nil && len(values) == len(r.After.Get(p)) {
			r.After.Set(p, values)
		}
	}
	return r, nil
}

// elements returns those of the line that begins with the name and the sign;
// nil if there is none.
func elements(text, name, sign string, t types.DType) ([]uint64, error) {
	for _, line := range strings.Split(text, "\n") {
		rest, ok := strings.CutPrefix(line, name+sign)
		if !ok {
			continue
		}
		all := []uint64{}
		for _, s := range strings.Fields(rest) {
			v, err := kernel.ParseBits(t, s)
			if err != nil {
				return nil, fmt.Errorf("%s: %q is not an element of %v", name, s, t)
			}
			all = append(all, v)
		}
		return all, nil
	}
	return nil, nil
}

// Update returns an archive with the elements that runs leave, as run makes
// them.
func Update(a []byte, run func(m *Memory) error) ([]byte, error) {
	archive := txtar.Parse(a)
	goldens, err := parseArchive("", archive)
	if err != nil {
		return nil, err
	}
	for _, g := range goldens {
		for _, r := range g.Runs {
			after, err := r.Before.Run(run)
			if err != nil {
				return nil, err
			}
			i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == r.Name })
			var b bytes.Buffer
			for _, line := range strings.SplitAfter(string(archive.Files[i].Data), "\n") {
				if name, _, is := strings.Cut(line, " ="); !is || !slices.Contains(names(g.Kernel), name) {
					b.WriteString(line)
				}
			}
			for _, p := range g.Kernel.Outs() {
				fmt.Fprintf(&b, "%s =", g.Kernel.Params[p].Name)
				for _, v := range after.Get(p) {
					b.WriteString(" " + format(g.Kernel.Params[p].DType, v))
				}
				b.WriteByte('\n')
			}
			archive.Files[i].Data = b.Bytes()
		}
	}
	return txtar.Format(archive), nil
}

func names(k *kernel.Kernel) []string {
	var all []string
	for _, p := range k.Params {
		all = append(all, p.Name)
	}
	return all
}

func format(t types.DType, bits uint64) string { return kernel.FormatBits(t, bits) }
