//go:build linux && (amd64 || arm64)

package libllvm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ltc/internal/env"
)

// names are the shared libraries that are looked for, the best first: the one
// that has been measured most, newer ones, older ones.
var names = []string{
	"libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so",
	"libLLVM.so.20.1", "libLLVM-20.so.1",
	"libLLVM.so.21.1", "libLLVM-21.so.1",
	"libLLVM.so.22.1", "libLLVM-22.so.1",
	"libLLVM.so.18.1", "libLLVM-18.so.1",
	"libLLVM-17.so.1", "libLLVM-17.so",
	"libLLVM-16.so.1", "libLLVM-16.so",
	"libLLVM-15.so.1", "libLLVM-15.so",
	"libllvmlite.so",
}

// liteFiles are where Python keeps the libLLVM of llvmlite; ~ is the user's
// home.
var liteFiles = []string{
	"~/.local/lib/python3*/site-packages/llvmlite/binding/libllvmlite.so",
	"/usr/local/lib/python3*/*-packages/llvmlite/binding/libllvmlite.so",
	"/usr/lib/python3*/*-packages/llvmlite/binding/libllvmlite.so",
}

// search opens the first library that can be used.
func search(background bool) (*Library, error) {
	var unusable []string
	for _, name := range slices.Concat(names, files(liteFiles)) {
		l, err := openOne(name, background)
		if err == nil {
			return l, nil
		}
		if !errors.Is(err, errMissing) {
			unusable = append(unusable, fmt.Sprintf("; %s cannot be used: %v", name, err))
		}
	}
	return nil, fmt.Errorf("%w: looked for %s, and in %s%s: install one (make llvm, or apt-get install libllvm19), or name it in LTC_LIBLLVM",
		ErrNotFound, strings.Join(names, ", "), strings.Join(liteFiles, ", "), strings.Join(unusable, ""))
}

// Likely reports whether [Open] is likely to find a libLLVM: there is a file of the name of one.
// It loads none.
func Likely() bool {
	switch name := env.LibLLVM.Value(); {
	case name == "none":
		return false
	case strings.Contains(name, "/"):
		_, err := os.Stat(name)
		return err == nil
	case name != "":
		return present(name)
	}
	return present(names...) || len(files(liteFiles)) > 0
}

// files returns the files of patterns that there are.
func files(patterns []string) []string {
	home, _ := os.UserHomeDir()
	var found []string
	for _, pattern := range patterns {
		if rest, ok := strings.CutPrefix(pattern, "~"); ok {
			if home == "" {
				continue
			}
			pattern = home + rest
		}
		some, _ := filepath.Glob(pattern)
		found = append(found, some...)
	}
	return found
}
