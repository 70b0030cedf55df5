package lexeme

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStringsReadBack(t *testing.T) {
	for s, token := range map[string]string{
		"":        `""`,
		"a b":     `"a b"`,
		"a\"b\\c": `"a\"b\\c"`,
		"\n\x00é": `"\0A\00\C3\A9"`,
	} {
		require.Equal(t, token, Quote(s))
		got, ok := Unquote(token)
		require.True(t, ok, token)
		require.Equal(t, s, got)
	}
	got, ok := Unquote(`"a\n\t\c3\A9"`)
	require.True(t, ok)
	require.Equal(t, "a\n\té", got)
	for _, token := range []string{`"\"`, `"\q"`, `"\4"`, `"\4g"`} {
		_, ok := Unquote(token)
		require.False(t, ok, token)
	}
}

func TestNamesAreQuotedWhereTheyMust(t *testing.T) {
	for _, c := range []struct{ name, key, symbol string }{
		{"a.b$1", "a.b$1", "a.b$1"},
		{"_", "_", "_"},
		{"a-b", `"a-b"`, "a-b"},
		{"1a", `"1a"`, `"1a"`},
		{"", `""`, `""`},
		{"a b", `"a b"`, `"a b"`},
	} {
		require.Equal(t, c.key, Key(c.name))
		require.Equal(t, c.symbol, Symbol(c.name))
		require.Equal(t, c.key == c.name, BareName(c.name))
	}
	require.True(t, FlatSymbol("a"))
	require.False(t, FlatSymbol("a::@b"))
	require.False(t, FlatSymbol(""))
}

func TestKeptTextIsOnOneLine(t *testing.T) {
	const text = "a  b // c\n\"d  // e\" ,f/ /g"
	require.Equal(t, `a b "d  // e" ,f/ /g`, Squeeze(text))
	require.Equal(t, `ab"d  // e", f/ /g`, Tidy(text))
	require.Equal(t, "a  b     \n\"d  // e\" ,f/ /g", Uncomment(text))
}
