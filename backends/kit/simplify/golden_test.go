package simplify_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends/kit/simplify"
)

var update = flag.Bool("update", false, "rewrite the golden archives")

var (
	toleranceLine = regexp.MustCompile(`(?m)^// tolerance (\S+)$`)
	keepLine      = regexp.MustCompile(`(?m)^keep (.*)$`)
)

// Each archive of testdata shows what one pass makes of programs: name.mlir
// becomes name.want. A line `keep …` in its comment names what the target has
// itself; `// tolerance …` in a program, how far its results may be off. Programs
// with a main are run before and after.
func TestPasses(t *testing.T) {
	for _, pass := range simplify.Passes() {
		t.Run(pass, func(t *testing.T) {
			path := filepath.Join("testdata", pass+".txtar")
			a, err := txtar.ParseFile(path)
			require.NoError(t, err, "every pass has programs that show what it does")
			o := folding
			if m := keepLine.FindSubmatch(a.Comment); m != nil {
				o.Keep = map[string]bool{}
				for _, name := range strings.Fields(string(m[1])) {
					o.Keep[name] = true
				}
			}
			want := map[string]string{}
			for _, f := range a.Files {
				want[f.Name] = string(f.Data)
			}
			var out []txtar.File
			for _, f := range a.Files {
				name, isInput := strings.CutSuffix(f.Name, ".mlir")
				if !isInput {
					continue
				}
				before := string(f.Data)
				m := parse(t, f.Name, before)
				_, err := simplify.RunPass(context.Background(), m, pass, o)
				require.NoError(t, err, f.Name)
				after := printed(t, m)
				out = append(out, f, txtar.File{Name: name + ".want", Data: []byte(after)})
				if !*update {
					require.Empty(t, cmp.Diff(want[name+".want"], after), name)
				}
				if strings.Contains(before, "@main(") {
					requireSame(t, before, after, tolerance(t, before))
				}
			}
			if *update {
				a.Files = out
				require.NoError(t, os.WriteFile(path, txtar.Format(a), 0o644))
			}
		})
	}
}

func tolerance(t *testing.T, text string) float64 {
	m := toleranceLine.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	x, err := strconv.ParseFloat(m[1], 64)
	require.NoError(t, err)
	return x
}

func TestEveryArchiveIsOfAPass(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	for _, f := range files {
		require.Contains(t, simplify.Passes(), strings.TrimSuffix(filepath.Base(f), ".txtar"))
	}
}

func TestOrders(t *testing.T) {
	names := simplify.Passes()
	for _, o := range simplify.Orders() {
		before, after := slices.Index(names, o[0]), slices.Index(names, o[1])
		require.GreaterOrEqual(t, before, 0, "no pass %s", o[0])
		require.Greater(t, after, before, "%s must come before %s: %s", o[0], o[1], o[2])
		require.NotEmpty(t, o[2])
	}
}
