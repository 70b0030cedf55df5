package libllvm

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// Version is a version of LLVM. Minor and patch are 0 where the library does
// not tell, before 16.
type Version struct{ Major, Minor, Patch int }

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// oldest is the first version that takes what the emitters write: 14 ends the
// process on bfloat.
const oldest = 15

// tested are the versions that the tests have run on: they are used without
// asking a child process first.
var tested = []int{15, 16, 19, 22}

func (v Version) tested() bool { return slices.Contains(tested, v.Major) }

var soname = regexp.MustCompile(`^libLLVM(?:\.so\.|-)(\d+)`)

// nameVersion returns the version that the name of a shared library says;
// 0.0.0 if it says none.
func nameVersion(name string) Version {
	m := soname.FindStringSubmatch(filepath.Base(name))
	if m == nil {
		return Version{}
	}
	major, _ := strconv.Atoi(m[1])
	return Version{Major: major}
}
