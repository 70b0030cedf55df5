// Package inputs finds the models and the data of tests, which are not part of the repository. Its functions skip a test
// whose files are not there.
//
// The package imports only ltc/internal/trials.
package inputs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"ltc/internal/trials"
)

// File returns the path of a file of a model or a data set that make inputs has fetched: minilm, efficientnet, smollm2 or
// fashion. The empty file is the folder.
func File(t testing.TB, name, file string) string {
	t.Helper()
	path := filepath.Join(trials.Root(), "out", "inputs", name, file)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not there: make inputs INPUTS=%s fetches it", path, name)
	}
	return path
}

// Expected decodes the recorded values of a model, a file of JSON such as testdata/minilm.json.
func Expected(t testing.TB, file string, to any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// Recorded returns the path of a recorded file that is not part of the repository, in ../shared/inputs.
func Recorded(t testing.TB, file string) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(trials.Root()), "shared", "inputs", file)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no recorded file: %v", err)
	}
	return path
}
