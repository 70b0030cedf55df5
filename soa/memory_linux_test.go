package soa

import (
	"math"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// The least limit of the control groups that the process is in counts, whatever
// their version, and where their path is another outside of a container.
func TestGroupLimit(t *testing.T) {
	root := fstest.MapFS{
		"memory.max":                           {Data: []byte("max\n")},
		"a/memory.max":                         {Data: []byte("3000\n")},
		"a/b/memory.max":                       {Data: []byte("5000\n")},
		"memory/memory.limit_in_bytes":         {Data: []byte("9223372036854771712\n")},
		"memory/docker/memory.limit_in_bytes":  {Data: []byte("700\n")},
		"memory/odd/memory.limit_in_bytes":     {Data: []byte("-1\n")},
		"memory/garbled/memory.limit_in_bytes": {Data: []byte("much\n")},
	}
	const most = 9223372036854771712
	for groups, want := range map[string]int64{
		"":                                     math.MaxInt64,
		"0::/\n":                               math.MaxInt64,
		"0::/a\n":                              3000,
		"0::/a/b\n":                            3000,
		"0::/a/b/gone\n":                       3000,
		"0::/elsewhere\n":                      math.MaxInt64,
		"0::/../../a\n":                        3000,
		"4:cpu:/docker\n2:memory:/docker\n":    700,
		"3:hugetlb,memory:/docker\n0::/a\n":    700,
		"3:memory:/odd\n":                      most,
		"3:memory:/garbled\n":                  most,
		"nonsense\n1:memory\n:::\n":            math.MaxInt64,
		"1:name=systemd:/docker\n2:memory:/\n": most,
	} {
		require.Equal(t, want, groupLimit(root, groups), "%q", groups)
	}
}
