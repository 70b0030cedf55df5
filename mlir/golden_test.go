package mlir

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden archives")

// golden runs f on every file NAME.mlir of the archives in dir and compares
// what it returns, by extension, with the files NAME.EXT.
func golden(t *testing.T, dir string, f func(t *testing.T, name, text string) map[string]string) {
	archives, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		require.NoError(t, err)
		want := map[string]string{}
		for _, x := range a.Files {
			want[x.Name] = string(x.Data)
		}
		var out []txtar.File
		for _, x := range a.Files {
			name, isInput := strings.CutSuffix(x.Name, ".mlir")
			if !isInput {
				continue
			}
			out = append(out, x)
			t.Run(name, func(t *testing.T) {
				got := f(t, x.Name, strings.TrimSuffix(string(x.Data), "\n"))
				for _, ext := range []string{"pretty", "generic", "locations", "error"} {
					if s, ok := got[ext]; ok {
						s = strings.TrimSuffix(s, "\n") + "\n"
						out = append(out, txtar.File{Name: name + "." + ext, Data: []byte(s)})
						if !*update {
							require.Empty(t, cmp.Diff(want[name+"."+ext], s), ext)
						}
					}
				}
			})
		}
		if *update {
			a.Files = out
			require.NoError(t, os.WriteFile(path, txtar.Format(a), 0o644))
		}
	}
}

func TestRoundTrip(t *testing.T) {
	golden(t, "roundtrip", func(t *testing.T, name, text string) map[string]string {
		m, err := Parse(name, text)
		require.NoError(t, err)
		require.NoError(t, Verify(m))
		forms := map[string]PrintOptions{"pretty": {}, "generic": {Generic: true}, "locations": {Locations: true}}
		got := map[string]string{}
		for form, o := range forms {
			got[form] = Print(m, o)
			again, err := Parse(form, got[form])
			require.NoError(t, err, got[form])
			require.Empty(t, cmp.Diff(got[form], Print(again, o)), "printing again")
		}
		generic, err := Parse("generic", got["generic"])
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(got["pretty"], Print(generic)), "the generic form says the same")
		if got["locations"] == got["pretty"] {
			delete(got, "locations")
		}
		return got
	})
}

func TestParseErrors(t *testing.T) {
	golden(t, "parse", func(t *testing.T, name, text string) map[string]string {
		_, err := Parse(name, text)
		require.Error(t, err)
		return map[string]string{"error": err.Error()}
	})
}

func TestVerifyErrors(t *testing.T) {
	golden(t, "verify", func(t *testing.T, name, text string) map[string]string {
		m, err := Parse(name, text)
		require.NoError(t, err)
		err = Verify(m)
		require.Error(t, err)
		return map[string]string{"error": err.Error()}
	})
}
