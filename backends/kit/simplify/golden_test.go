package simplify_test

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends"
	"ltc/backends/kit/simplify"
	"ltc/internal/test/golden"
	"ltc/mlir"
	"ltc/soa"
)

var (
	toleranceLine = regexp.MustCompile(`(?m)^// tolerance (\S+)$`)
	keepLine      = regexp.MustCompile(`(?m)^keep (.*)$`)
	hostLine      = regexp.MustCompile(`(?m)^host (.*)$`)
)

// Each archive of testdata shows what one pass makes of programs: name.mlir
// becomes name.want. A line `keep …` in its comment names what the target has
// itself, a line `host …` the composite that a function of the host runs. A line
// `// tolerance …` in a program says how far its results may be off. Programs with a main are
// run before and after.
func TestPasses(t *testing.T) {
	backends.RegisterHost("my.scale", func(_ context.Context, c *backends.HostCall) error {
		by, _ := mlir.Int(c.Attrs.Get("by"))
		for i, x := range soa.Slice[float32](c.Args[0]) {
			soa.Slice[float32](c.Results[0])[i] = x * float32(by)
		}
		return nil
	})
	for _, pass := range simplify.Passes() {
		t.Run(pass, func(t *testing.T) {
			path := filepath.Join("testdata", pass+".txtar")
			a, err := txtar.ParseFile(path)
			require.NoError(t, err, "every pass has programs that show what it does")
			o := folding
			o.ChannelsFirst, o.SplitK = true, 192<<10
			if m := keepLine.FindSubmatch(a.Comment); m != nil {
				o.Keep = map[string]bool{}
				for _, name := range strings.Fields(string(m[1])) {
					o.Keep[name] = true
				}
			}
			if m := hostLine.FindSubmatch(a.Comment); m != nil {
				o.Hosted = func(op *mlir.Op) string {
					if op.Attrs.Get("name") == mlir.Attribute(mlir.StringAttr(m[1])) {
						return string(m[1])
					}
					return ""
				}
			}
			golden.Archive(t, path, ".mlir", func(t *testing.T, in txtar.File) []golden.Part {
				before := string(in.Data)
				m := parse(t, in.Name, before)
				_, err := simplify.RunPass(context.Background(), m, pass, o)
				require.NoError(t, err)
				after := printed(t, m)
				if strings.Contains(before, "@main(") {
					requireSame(t, before, after, tolerance(t, before))
				}
				return []golden.Part{{Ext: "want", Text: after}}
			})
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
