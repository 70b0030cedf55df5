package mlir

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// FuzzParse checks that no text makes the package panic, and that what is read
// prints to a text that reads back to the same.
func FuzzParse(f *testing.F) {
	archives, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatal("no golden archives to start from: ", err)
	}
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, x := range a.Files {
			if strings.HasSuffix(x.Name, ".mlir") {
				f.Add(string(x.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse("fuzz", text)
		if err != nil {
			_ = err.Error()
			return
		}
		if err := Verify(m); err != nil {
			_ = err.Error()
		}
		requireStable(t, m)
	})
}
