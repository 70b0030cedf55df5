package guard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir"
	"ltc/lazy/internal/guard"
)

// Indices of four rows that are in range whatever the arguments are need no look. Those that are
// elements of arguments are looked at before the run, others in its midst.
func TestIndices(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string // the last is the index, of i64
		want  string   // "": none looks
	}{
		"argmax":                      {[]string{"argmax %0 {axis = 0} : i64[6]"}, ""},
		"argmax of more":              {[]string{"argmax %0 {axis = 1} : i64[4]"}, "midst"},
		"argsort":                     {[]string{"argsort %0 {axis = 0} : i64[4,6]"}, ""},
		"indices of a sort":           {[]string{`sort %0 {axis = 0, descending = true} : (f32[4,6], i64[4,6])`, "result %2 {index = 1} : i64[4,6]"}, ""},
		"iota":                        {[]string{"iota {dtype = i64, shape = [4], axis = 0} : i64[4]"}, ""},
		"longer iota":                 {[]string{"iota {dtype = i64, shape = [5], axis = 0} : i64[5]"}, "midst"},
		"argument":                    {nil, "argument"},
		"reshaped argument":           {[]string{"reshape %1 {dims = [3, 1]} : i64[3,1]"}, "argument"},
		"slice of an argument":        {[]string{"slice %1 {starts = [1], limits = [3], strides = [1]} : i64[2]"}, "argument"},
		"argument of fewer bits":      {[]string{"convert %1 {dtype = i32} : i32[3]"}, "midst"},
		"sum":                         {[]string{"add %1, %1 : i64[3]"}, "midst"},
		"remainder":                   {[]string{"constant {dtype = i64, value = 4} : i64[]", "broadcast %2 {shape = [3], axes = []} : i64[3]", "rem %1, %3 : i64[3]", "add %4, %3 : i64[3]", "rem %5, %3 : i64[3]"}, ""},
		"remainder of a negative one": {[]string{"constant {dtype = i64, value = 4} : i64[]", "broadcast %2 {shape = [3], axes = []} : i64[3]", "rem %1, %3 : i64[3]"}, "midst"},
		"remainder that is not negative": {[]string{"constant {dtype = i64, value = 4} : i64[]", "broadcast %2 {shape = [3], axes = []} : i64[3]", "rem %1, %3 : i64[3]",
			"constant {dtype = i64, value = 0} : i64[]", "broadcast %5 {shape = [3], axes = []} : i64[3]", `compare %4, %6 {direction = "NE"} : bool[3]`,
			`compare %4, %6 {direction = "LT"} : bool[3]`, `compare %3, %6 {direction = "LT"} : bool[3]`, `compare %8, %9 {direction = "NE"} : bool[3]`,
			"and %7, %10 : bool[3]", "add %4, %3 : i64[3]", "where %11, %12, %4 : i64[3]"}, ""},
		"clamp":       {[]string{"constant {dtype = i64, value = 0} : i64[]", "broadcast %2 {shape = [3], axes = []} : i64[3]", "maximum %1, %3 : i64[3]", "constant {dtype = i64, value = 3} : i64[]", "broadcast %5 {shape = [3], axes = []} : i64[3]", "minimum %4, %6 : i64[3]"}, ""},
		"clamp above": {[]string{"constant {dtype = i64, value = 3} : i64[]", "broadcast %2 {shape = [3], axes = []} : i64[3]", "minimum %1, %3 : i64[3]"}, "midst"},
		"wrapped difference": {[]string{"iota {dtype = i64, shape = [4], axis = 0} : i64[4]", "constant {dtype = i64, value = 1} : i64[]", "broadcast %3 {shape = [4], axes = []} : i64[4]", "sub %2, %4 : i64[4]",
			"constant {dtype = i64, value = 0} : i64[]", "broadcast %6 {shape = [4], axes = []} : i64[4]", `compare %5, %7 {direction = "LT"} : bool[4]`,
			"constant {dtype = i64, value = 4} : i64[]", "broadcast %9 {shape = [4], axes = []} : i64[4]", "add %5, %10 : i64[4]", "where %8, %11, %5 : i64[4]"}, ""},
		"ignored": {[]string{"constant {dtype = i64, value = -100} : i64[]", "broadcast %2 {shape = [3], axes = []} : i64[3]", `compare %1, %3 {direction = "NE"} : bool[3]`,
			"constant {dtype = i64, value = 0} : i64[]", "broadcast %5 {shape = [3], axes = []} : i64[3]", "where %4, %1, %6 : i64[3]"}, "argument"},
		"bools counted": {[]string{"compare %1, %1 {direction = \"LT\"} : bool[3]", "convert %2 {dtype = i64} : i64[3]", "sum %3 {axes = [0]} : i64[]"}, ""},
		"ignored where the transpose is not": {[]string{"constant {dtype = i64, value = -100} : i64[]", "broadcast %2 {shape = [3, 3], axes = []} : i64[3,3]", "broadcast %1 {shape = [3, 3], axes = [1]} : i64[3,3]",
			"transpose %4 {perm = [1, 0]} : i64[3,3]", `compare %5, %3 {direction = "NE"} : bool[3,3]`,
			"constant {dtype = i64, value = 0} : i64[]", "broadcast %7 {shape = [3, 3], axes = []} : i64[3,3]", "where %6, %4, %8 : i64[3,3]"}, "midst"},
		"least of u64":        {[]string{"convert %1 {dtype = u64} : u64[3]", "convert %2 {dtype = i64} : i64[3]", "constant {dtype = i64, value = 3} : i64[]", "broadcast %4 {shape = [3], axes = []} : i64[3]", "minimum %3, %5 : i64[3]"}, "midst"},
		"least of u32":        {[]string{"convert %1 {dtype = u32} : u32[3]", "convert %2 {dtype = i64} : i64[3]", "constant {dtype = i64, value = 3} : i64[]", "broadcast %4 {shape = [3], axes = []} : i64[3]", "minimum %3, %5 : i64[3]"}, ""},
		"none of an argument": {[]string{"slice %1 {starts = [0], limits = [1], strides = [1]} : i64[1]", "broadcast %2 {shape = [0], axes = [0]} : i64[0]"}, ""},
		"elements of float":   {[]string{"convert %0 {dtype = i64} : i64[4,6]"}, "midst"},
	} {
		t.Run(name, func(t *testing.T) {
			var text strings.Builder
			text.WriteString("graph \"g\" {\n  %0 = parameter {index = 0, name = \"\"} : f32[4,6]\n  %1 = parameter {index = 1, name = \"\"} : i64[3]\n")
			last, of := 1, "i64[3]"
			for i, l := range c.lines {
				last = i + 2
				fmt.Fprintf(&text, "  %%%d = %s\n", last, l)
				_, of, _ = strings.Cut(l, "} : ")
				if of == "" {
					_, of, _ = strings.Cut(l, " : ")
				}
			}
			shape := of[strings.Index(of, "[")+1 : len(of)-1]
			fmt.Fprintf(&text, "  %%%d = gather %%0, %%%d {axis = 0} : f32[%s]\n  return %%%d\n}\n", last+1, last, strings.TrimPrefix(shape+",6", ","), last+1)
			g, err := ir.Parse("test.ir", text.String())
			require.NoError(t, err, text.String())
			found, program := guard.IndicesOf(g, true, true, false)
			all := found.All
			if c.want == "" {
				require.Empty(t, all)
				require.Same(t, g, program)
				return
			}
			require.Len(t, all, 1)
			_, argument := all[0].Argument()
			require.Equal(t, c.want == "argument", argument)
			require.Equal(t, argument, !strings.Contains(program.String(), "ltc.check_index"), program)
			require.Equal(t, program == g, argument)
			again, err := ir.Parse("test.ir", program.String())
			require.NoError(t, err)
			require.True(t, ir.Equal(again, program))
		})
	}
}
