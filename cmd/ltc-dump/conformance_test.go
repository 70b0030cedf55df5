package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/conformance"
	"ltc/internal/test/golden"
	"ltc/internal/trials"
)

const (
	knownList  = "../../docs/conformance.md"
	tableStart = "<!-- conformance -->"
	tableEnd   = "<!-- /conformance -->"
)

// The dialect's own tests, where they have been put beside the repository:
// what fails is listed, and the page's table says what they give. -update writes
// both.
func TestConformance(t *testing.T) {
	trials.Sequential(t)
	suite := trials.Suite()
	if _, err := os.Stat(suite); err != nil {
		t.Skip("the dialect's tests are not there: ", suite)
	}
	args := []string{"check", "-families", "-known", knownList, suite + "/interpret", suite + "/testdata"}
	if golden.Update() {
		args = append(args, "-update")
	}
	out, status := output(args...)
	require.Zero(t, status, out)
	table := rows(out) + closing(t, out, "all of these")
	out, status = output("verify", "-expect-errors", suite+"/verify")
	require.Zero(t, status, out)
	table += closing(t, out, "verify: rejected where an error is expected, and accepted elsewhere")
	if golden.Update() {
		require.NoError(t, conformance.Replace(knownList, tableStart, tableEnd, table))
		return
	}
	old, err := conformance.Between(knownList, tableStart, tableEnd)
	require.NoError(t, err)
	require.Equal(t, table, old, "run go test ./cmd/ltc-dump -run TestConformance -update")
}

// output runs a command and returns what it prints.
func output(args ...string) (string, int) {
	var stdout, stderr bytes.Buffer
	status := run(args, strings.NewReader(""), &stdout, &stderr)
	return stdout.String() + stderr.String(), status
}

// rows returns the lines of out that are a table's.
func rows(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "|") {
			b.WriteString(line)
		}
	}
	return b.String()
}

var closingLine = regexp.MustCompile(`(?m)^(\d+) passed, (\d+) failed, (\d+) skipped$`)

// closing returns the line that a run closes with as a row.
func closing(t *testing.T, out, name string) string {
	m := closingLine.FindStringSubmatch(out)
	require.NotNil(t, m, out)
	return "| " + name + " | " + strings.Join(m[1:], " | ") + " |\n"
}
