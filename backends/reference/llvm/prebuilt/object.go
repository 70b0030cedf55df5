package prebuilt

import (
	"embed"
	"path"
)

// objects holds objects/<machine>/<unit>.o and objects/index.txt.
//
//go:embed objects
var objects embed.FS

// Object returns the object of a unit of package gemm, given its name and the
// machine that it is written for; nil if there is none.
func Object(machine, unit string) []byte {
	b, err := objects.ReadFile(path.Join("objects", machine, unit+".o"))
	if err != nil {
		return nil
	}
	return b
}

// Index returns the list of the objects: a line that names the version of LLVM
// which made them, then for each its machine, its unit and the SHA-256 of the
// unit's text.
func Index() string {
	b, err := objects.ReadFile("objects/index.txt")
	if err != nil {
		return ""
	}
	return string(b)
}
