package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The checked-in accessors are what the generator makes.
func TestGenerated(t *testing.T) {
	for name, file := range map[string]string{"Hit": "../hit_soa_gen_test.go", "Track": "../track_soa_gen_test.go"} {
		out := filepath.Join(t.TempDir(), "out.go")
		require.NoError(t, run("../hit_test.go", name, out))
		got, err := os.ReadFile(out)
		require.NoError(t, err)
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "run go generate ./soa")
		require.NoError(t, run("../hit_test.go", name, out)) // again: nothing to do
	}
}

func TestErrors(t *testing.T) {
	for body, want := range map[string]string{
		"struct{ N int }":                                             "layout T: column N: int has no fixed size: use int32 or int64",
		"struct{ S string }":                                          "layout T: column S: no dtype holds string",
		"struct{ D time.Duration }":                                   "layout T: column D: no dtype holds invalid type",
		"float32":                                                     "T is no struct",
		"struct{ x float32 }":                                         "layout T: it has no columns: the struct has no exported fields",
		"struct{ X []struct{ X []float32 } }":                         "layout T: column X.X: a jagged column cannot be inside another jagged column",
		"struct{ X [2][2][2]bool }":                                   "layout T: column X: an element is a value, a vector or a matrix, not bool[2,2,2]",
		"struct{ X float32 `soa:\",blok\"` }":                         `layout T: column X: option "blok" is unknown: the options are scalar and block`,
		"struct{ X float32 `soa: \"x\"` }":                            "layout T: column X: its tag `soa: \"x\"` is malformed: want `soa:\"name,option\"`",
		"struct{ X []float32 `soa:\",scalar\"` }":                     "layout T: column X: a []float32 cannot be a scalar here",
		"struct{ X float32 `soa:\",block\"` }":                        "layout T: column X: a block must be a struct, not float32",
		"struct{ X []struct{ Y struct{ Z bool } `soa:\",block\"` } }": "layout T: column X.Y: a block cannot be inside another block or a jagged column",
		"struct{ Index float32 }":                                     "layout T: column Index: there would be two methods Index: name the field otherwise; its tag can keep the column's name",
		"struct{ X, SetX float32 }":                                   "layout T: column SetX: there would be two methods SetX: name the field otherwise; its tag can keep the column's name",
		"struct{ X float32; XEntries float32 `soa:\",scalar\"` }":     "layout T: column XEntries: there would be two methods XEntries: name the field otherwise; its tag can keep the column's name",
		"struct{ X float32; All float32 `soa:\",scalar\"` }":          "layout T: column All: there would be two methods All: name the field otherwise; its tag can keep the column's name",
		"struct{ XY float32; X struct{ Y bool } }":                    "layout T: column X.Y: there would be two methods XY: name the field otherwise; its tag can keep the column's name",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "t.go")
		require.NoError(t, os.WriteFile(file, []byte("package p\n\nimport \"time\"\n\ntype T "+body+"\n"), 0o600))
		if strings.HasPrefix(want, "layout") {
			want = file + ":5: " + want
		}
		require.EqualError(t, run(file, "T", filepath.Join(dir, "out.go")), want, body)
	}
	require.EqualError(t, run("main.go", "T", "out.go"), "package main of main.go has no type T")
	require.Error(t, run("nothing.go", "T", "out.go"))
}

// Elements are taken together only where all plain columns are of one size and lie
// one after the other.
func TestEntries(t *testing.T) {
	for body, want := range map[string]bool{
		"struct{ X, Y float32; L int32 }":                          true,
		"struct{ X float32; E float64 `soa:\",scalar\"` }":         true,
		"struct{ E float64 `soa:\",scalar\"`; X [2]float32 }":      true,
		"struct{ X float32; E float64 }":                           false,
		"struct{ X float32; E float32 `soa:\",scalar\"`; Y int32}": false,
		"struct{ E float64 `soa:\",scalar\"` }":                    false,
	} {
		dir := t.TempDir()
		file, out := filepath.Join(dir, "t.go"), filepath.Join(dir, "out.go")
		require.NoError(t, os.WriteFile(file, []byte("package p\n\ntype T "+body+"\n"), 0o600))
		require.NoError(t, run(file, "T", out), body)
		text, err := os.ReadFile(out)
		require.NoError(t, err)
		require.Equal(t, want, strings.Contains(string(text), "type TEntries struct"), body)
	}
}
