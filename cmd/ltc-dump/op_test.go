package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Wrong usage of op says what is wrong before it shows the flags.
func TestUsageOfOp(t *testing.T) {
	for args, want := range map[string]string{
		"op":                                   "0 ops: want one",
		"op Add Sub":                           "2 ops: want one",
		"op Softmax -attr axis":                `invalid value "axis" for flag -attr: want NAME=VALUE, such as axis=-1`,
		"op Softmax -attr axis=0 -attr axis=1": `invalid value "axis=1" for flag -attr: axis has a value already`,
		"op Abs -output one.txt":               "-output one.txt: want a name that ends in .npz or .npy",
	} {
		var out, complaint bytes.Buffer
		require.Equal(t, 2, run(strings.Fields(args), strings.NewReader(""), &out, &complaint))
		require.True(t, strings.HasPrefix(complaint.String(), "ltc-dump op: "+want+"\nusage: ltc-dump op OP [flags]\n"), complaint.String())
	}
}
