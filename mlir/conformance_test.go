package mlir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The dialect's own tests, where they have been put beside the repository:
// what is read prints stably, the verifier accepts what is valid, and no less
// is read than when this was written (the rest are ops without a pretty form).
func TestConformance(t *testing.T) {
	const dir = "../../shared/conformance/stablehlo"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the dialect's tests are not there: ", dir)
	}
	units, read, refused, strict := 0, 0, 0, 0
	for _, pattern := range []string{"testdata/*.mlir", "testdata/*/*.mlir", "interpret/*.mlir", "interpret/*/*.mlir", "verify/*.mlir"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, unit := range strings.Split(string(text), "// -----") {
				if strings.Contains(unit, "expected-error") {
					if m, err := Parse(file, unit); err != nil || Verify(m) != nil {
						refused++
					}
					continue
				}
				units++
				if m, err := Parse(file, unit); err == nil {
					read++
					if err := Verify(m); err != nil {
						t.Log(err)
						strict++
					}
					requireStable(t, m)
				}
			}
		}
	}
	t.Logf("%d of %d valid units are read, %d invalid ones refused", read, units, refused)
	require.GreaterOrEqual(t, read, 1817)
	require.GreaterOrEqual(t, refused, 130)
	// Initial values of a reduce that are no scalars: the specification rules
	// them out, its implementation does not.
	require.LessOrEqual(t, strict, 4)
}

// requireStable checks that every printed form of m reads back and prints the
// same.
func requireStable(t testing.TB, m *Module) {
	for _, o := range []PrintOptions{{}, {Generic: true}, {Locations: true}} {
		once := Print(m, o)
		again, err := Parse("printed", once)
		if err != nil {
			t.Fatalf("%v\nin\n%s", err, once)
		}
		if twice := Print(again, o); twice != once {
			t.Fatalf("%+v: printed\n%s\nand again\n%s", o, once, twice)
		}
	}
}
