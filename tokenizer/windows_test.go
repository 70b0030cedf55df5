package tokenizer

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Windows are those that the library tokenizers gives for a text that is too long.
func TestWindows(t *testing.T) {
	tok := load(t, "wordpiece")
	tokens := func(all []*Encoding) (lines []string) {
		for _, e := range all {
			lines = append(lines, strings.Join(e.Tokens, " "))
		}
		return lines
	}
	text := "1 2 3 4 5 6 7 8"
	require.Equal(t, []string{"[CLS] 1 2 3 4 [SEP]", "[CLS] 4 5 6 7 [SEP]", "[CLS] 7 8 [SEP]"}, tokens(tok.Windows(text, 1, MaxLength(6))))
	require.Equal(t, []string{"[CLS] 5 6 7 8 [SEP]", "[CLS] 2 3 4 5 [SEP]", "[CLS] 1 2 [SEP]"}, tokens(tok.Windows(text, 1, Truncate(Truncation{MaxLength: 6, Left: true}))))
	require.Equal(t, []string{"[CLS] 9 [SEP] 1 2 3 4 [SEP]", "[CLS] 9 [SEP] 3 4 5 6 [SEP]", "[CLS] 9 [SEP] 5 6 7 8 [SEP]"}, tokens(tok.PairWindows("9", text, 2, MaxLength(8))))
	require.Equal(t, []string{"[CLS] 1 2 [SEP]"}, tokens(tok.Windows("1 2", 1)))
	require.Equal(t, []string{"[CLS] [SEP]"}, tokens(tok.Windows("", 1, MaxLength(4))))
	require.Equal(t, []string{"[CLS] [SEP]"}, tokens(tok.Windows(text, 1, MaxLength(1))))
	require.Equal(t, []string{"[CLS] 1 2 3 [SEP] [SEP]"}, tokens(tok.PairWindows("1 2 3", text, 1, MaxLength(6))))
	require.Equal(t, []string{"1 2", "3 4", "5 6", "7 8"}, tokens(tok.Windows(text, 0, MaxLength(2), NoSpecialTokens())))
	for _, stride := range []int{-1, -5, math.MinInt} {
		require.Equal(t, tok.Windows(text, 0, MaxLength(4)), tok.Windows(text, stride, MaxLength(4)), "no token is lost")
		require.Equal(t, tok.PairWindows("9", text, 0, MaxLength(6)), tok.PairWindows("9", text, stride, MaxLength(6)))
	}
	last := tok.PairWindows("9", text, 2, MaxLength(8))[2]
	require.Equal(t, Span{8, 9}, last.Offsets[3])
	require.Equal(t, []int32{0, 0, 0, 1, 1, 1, 1, 1}, last.TypeIDs)
	require.Len(t, tok.Windows(text, 9, MaxLength(6)), 5, "a stride as long as the text moves by one token")
}
