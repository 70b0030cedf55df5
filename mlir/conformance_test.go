package mlir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const suite = "../../shared/conformance/stablehlo"

var suiteFiles = []string{"testdata/*.mlir", "testdata/*/*.mlir", "interpret/*.mlir", "interpret/*/*.mlir", "verify/*.mlir"}

// The dialect's own tests, where they have been put beside the repository: all
// that is valid is read, accepted by the verifier, and printed stably in every
// form; no less of what is invalid is refused than when this was written.
func TestConformance(t *testing.T) {
	if _, err := os.Stat(suite); err != nil {
		t.Skip("the dialect's tests are not there: ", suite)
	}
	units, invalid, refused, strict := 0, 0, 0, 0
	for _, pattern := range suiteFiles {
		files, err := filepath.Glob(filepath.Join(suite, pattern))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, unit := range Split(file, string(text)) {
				m, err := unit.Parse()
				if strings.Contains(unit.Body(), "expected-error") {
					invalid++
					refused += btoi(err != nil || Verify(m) != nil)
					continue
				}
				units++
				require.NoError(t, err)
				if err := Verify(m); err != nil {
					t.Log(err)
					strict++
				}
				requireStable(t, m)
			}
		}
	}
	t.Logf("%d valid units, %d of %d invalid ones refused", units, refused, invalid)
	require.GreaterOrEqual(t, units, 1947)
	require.GreaterOrEqual(t, refused, 414)
	// Initial values of a reduce that are no scalars: the specification rules
	// them out, its implementation does not.
	require.LessOrEqual(t, strict, 4)
}

// requireStable checks that every printed form of m reads back and prints the
// same, and that the generic form says the same as the pretty one.
func requireStable(t testing.TB, m *Module) {
	pretty := ""
	for _, o := range []PrintOptions{{}, {Generic: true}, {Locations: true}, {Locations: true, Generic: true}} {
		once := Print(m, o)
		again, err := Parse("printed", once)
		if err != nil {
			t.Fatalf("%v\nin\n%s", err, once)
		}
		if twice := Print(again, o); twice != once {
			t.Fatalf("%+v: printed\n%s\nand again\n%s", o, once, twice)
		}
		if o == (PrintOptions{}) {
			pretty = once
		} else if other := Print(again); other != pretty {
			t.Fatalf("%+v: printed\n%s\nand from it\n%s", o, pretty, other)
		}
	}
}
