package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// The pages are those of the table, they are short, and no other lies beside them.
func TestPages(t *testing.T) {
	files, err := generate(root)
	require.NoError(t, err)
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.Equal(t, want, string(have), "go generate ./tools/opcoverage writes %s anew", name)
		require.Less(t, len(want), 15_000, "%s: split its families", name)
	}
	found, err := filepath.Glob(filepath.Join(root, "docs/op-coverage/*"))
	require.NoError(t, err)
	for _, path := range found {
		require.Contains(t, files, "docs/op-coverage/"+filepath.Base(path))
	}
}

// Every operator is there once.
func TestRows(t *testing.T) {
	rows, err := parse(table)
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, r := range rows {
		require.False(t, seen[r.name], r.name)
		seen[r.name] = true
	}
	require.Len(t, rows, 643)
	rows, err = parseFunctions(functions)
	require.NoError(t, err)
	for _, r := range rows {
		require.False(t, seen[r.name], r.name)
		seen[r.name] = true
	}
	_, err = parseFunctions("name\tgo\tnote\ntorch.median\t\t")
	require.EqualError(t, err, "names.tsv:2: 3 columns: want name, Go names, note")
}

// An in-place operator names a call that writes its receiver, or its note says that none does.
// A functional one names none.
func TestInPlaceRows(t *testing.T) {
	rows, err := parse(table)
	require.NoError(t, err)
	for _, r := range rows {
		base, _, _ := strings.Cut(r.name, ".")
		writes := slices.ContainsFunc(r.names, func(n string) bool { return strings.HasSuffix(n, "_") || n == "Assign" || n == "optim.NewSGD" })
		switch {
		case r.state != direct && r.state != composed, strings.HasPrefix(base, "__"):
		case strings.HasSuffix(base, "_"):
			require.True(t, writes || strings.Contains(r.note, "not resized in place"), "%s: %v writes nothing", r.name, r.names)
		case !strings.HasPrefix(base, "_") && !strings.HasPrefix(base, "xla::"):
			require.NotContains(t, r.names, "Copy_", r.name)
		}
	}
}

// A mistake in the table is an error.
func TestMistakes(t *testing.T) {
	const head = "name\tfamily\tstate\tgo\tnote\n"
	for line, want := range map[string]string{
		"abs\telementwise\tyes":          "table.tsv:2: 3 columns: want name, family, state, Go names, note",
		"abs\telementwise\tyes\t\t":      "table.tsv:2: abs: state yes without a Go name",
		"abs\telementwise\tfew\tNeg\t":   "table.tsv:2: abs: state few without the Go names, or a note of how one is called",
		"abs\telementwise\tno\t\t":       "table.tsv:2: abs: state no without a reason",
		"abs\telementwise\tmaybe\tAbs\t": `table.tsv:2: abs: unknown state "maybe"`,
		"abs\tmagic\tyes\tAbs\t":         `table.tsv:2: abs: family "magic" is on no page`,
	} {
		_, err := parse(head + line)
		require.EqualError(t, err, want)
	}
	for name, want := range map[string]bool{"Abs": true, "To": true, "Abbs": false, "nn.SiLU": true, "nn.Sily": false, "lazy.Grad": true, "lazy.Random.Normal": true, "optim.NewSGD": true} {
		got, err := newNames(root).exists(name)
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
	require.ErrorContains(t, newNames(root).check([]row{{name: "abs", names: []string{"Abbs"}}}), "abs: there is no Abbs")
}
