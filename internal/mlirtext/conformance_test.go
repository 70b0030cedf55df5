package mlirtext_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/mlirtext"
	"ltc/internal/trials"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

var suite = trials.Suite()

var suiteFiles = []string{"testdata/*.mlir", "testdata/*/*.mlir", "interpret/*.mlir", "interpret/*/*.mlir", "verify/*.mlir"}

// exempt are the units of the dialect's tests on which we and units.tsv, that
// is the dialect's implementation, do not agree, with the reason: file#chunk.
var exempt = map[string]string{}

// The dialect's own tests, where they have been put beside the repository. What
// units.tsv marks as accepted is read, accepted by the verifier and printed
// stably in every form; what it marks as rejected is refused.
func TestConformance(t *testing.T) {
	list, err := os.ReadFile(filepath.Join(suite, "units.tsv"))
	if err != nil {
		t.Skip("the dialect's tests are not there: ", suite)
	}
	rows := strings.Split(strings.TrimSpace(string(list)), "\n")
	column := strings.Split(rows[0], "\t")
	file, chunk, verdict := slices.Index(column, "file"), slices.Index(column, "chunk"), slices.Index(column, "verify")
	left, done := map[string][]mlirtext.Chunk{}, map[string]int{} // by file
	accepted, rejected := 0, 0
	for _, row := range rows[1:] {
		cells := strings.Split(row, "\t")
		name, n := cells[file], 1
		if done[name] == 0 {
			text, err := os.ReadFile(filepath.Join(suite, name))
			require.NoError(t, err)
			left[name] = mlirtext.Split(name, string(text))
		}
		if cells[chunk] == "-" { // a whole file
			n = len(left[name])
		} else {
			require.Equal(t, cells[chunk], strconv.Itoa(done[name]), "the chunks of %s are not in order", name)
		}
		require.GreaterOrEqual(t, len(left[name]), n, "units.tsv has more chunks of %s than we", name)
		unit := left[name][:n]
		left[name], done[name] = left[name][n:], done[name]+n
		name += "#" + cells[chunk]
		var err error
		for _, c := range unit {
			err = errors.Join(err, checkUnit(t, c))
		}
		// jaxlib does not know interpreter.probe (1); the dialect's interpreter does.
		refuse := cells[verdict] == "rejected"
		require.True(t, refuse || slices.Contains([]string{"0", "1", "accepted"}, cells[verdict]), "%s: verdict %s", name, cells[verdict])
		_, other := exempt[name]
		delete(exempt, name)
		switch refused := err != nil; {
		case refused != (refuse != other):
			t.Errorf("%s: units.tsv says %s, we: %v", name, cells[verdict], err)
		case refused:
			rejected++
		default:
			accepted++
		}
	}
	for name, chunks := range left {
		require.Empty(t, chunks, "we split %s into more chunks than units.tsv", name)
	}
	require.Empty(t, exempt, "no such units")
	t.Logf("%d units accepted, %d rejected", accepted, rejected)
}

// checkUnit returns why a unit is refused; what is not must print stably.
func checkUnit(t *testing.T, c mlirtext.Chunk) error {
	m, err := c.Parse()
	if err == nil {
		err = verify.Module(m)
	}
	if err == nil {
		requireStable(t, m)
	}
	return err
}

// requireStable checks that every printed form of m reads back and prints the
// same, and that the generic form says the same as the pretty one.
func requireStable(t testing.TB, m *mlir.Module) {
	pretty := ""
	for _, o := range []mlir.PrintOptions{{}, {Generic: true}, {Locations: true}, {Locations: true, Generic: true}} {
		once := mlir.Print(m, o)
		again, err := stablehlo.Parse("printed", once)
		if err != nil {
			t.Fatalf("%v\nin\n%s", err, once)
		}
		if twice := mlir.Print(again, o); twice != once {
			t.Fatalf("%+v: printed\n%s\nand again\n%s", o, once, twice)
		}
		if o == (mlir.PrintOptions{}) {
			pretty = once
		} else if other := mlir.Print(again); other != pretty {
			t.Fatalf("%+v: printed\n%s\nand from it\n%s", o, pretty, other)
		}
	}
}
