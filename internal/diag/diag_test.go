package diag

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestError(t *testing.T) {
	s := Source{"a.txt", "one\r\n\ttwo é three\n"}
	require.EqualError(t, s.Errorf(13, "no %s", "three"), "a.txt:2:9: error: no three\n\ttwo é three\n\t      ^")
	require.EqualError(t, s.Errorf(0, "m"), "a.txt:1:1: error: m\none\n^")
	require.EqualError(t, s.Errorf(100, "end"), "a.txt:3:1: error: end")
	require.EqualError(t, &Error{Msg: "m"}, "error: m")
	require.EqualError(t, &Error{File: "a", Msg: "m"}, "a: error: m")
	require.EqualError(t, &Error{Line: 1, Col: 3, Msg: "m", Source: "a\xffb"}, "1:3: error: m\na?b\n  ^")

	long := strings.Repeat("a", 999) + "é" + strings.Repeat("b", 1000)
	lines := strings.Split(Source{"l", long}.Errorf(999, "m").Error(), "\n")
	require.Len(t, lines, 3)
	require.LessOrEqual(t, len(lines[1]), Shown+len("é"))
	require.True(t, strings.HasPrefix(lines[1][len(lines[2])-1:], "éb"))
}

func TestLine(t *testing.T) {
	const text = "a\nb\r\n\nc"
	for i, want := range []string{"", "a", "b", "", "c", ""} {
		require.Equal(t, want, Line(text, i), i)
	}
}
