package trials

import (
	"os"
	"path/filepath"
)

// Root returns the folder of the repository, of which a test is run in a folder.
func Root() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	root := dir
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			root = dir // the last one: modules of examples are within
		}
	}
	return root
}

// Suite returns the folder of the selection of StableHLO's official tests, which is beside
// that of the repository and need not be there. A test that is moved finds it again.
func Suite() string { return filepath.Join(filepath.Dir(Root()), "shared/conformance/stablehlo") }
