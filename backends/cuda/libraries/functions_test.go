package libraries

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

type place int

type status int32

func (s status) Error() string { return fmt.Sprintf("number %d", int32(s)) }

// A table says what a library lacks, and which call of it failed.
func TestFunctions(t *testing.T) {
	list := []Entry{{"version", "", "z"}, {"make", "p", "i"}}
	f := Find[place, status]("lib", "a table", list, func(name string) uintptr { return map[string]uintptr{"version": 1}[name] })
	require.True(t, f.Has(0))
	require.False(t, f.Has(1))
	require.Equal(t, "make", f.Missing())
	require.Equal(t, "a table", f.Path())
	require.Empty(t, Find[place, status]("lib", "", list, func(string) uintptr { return 1 }).Missing())

	err := f.Failed(1, 7, "a thing")
	require.EqualError(t, err, "lib: make: number 7: a thing")
	require.ErrorIs(t, err, status(7))
	require.EqualError(t, f.Failed(1, 7, ""), "lib: make: number 7")
}

// Each question is asked once, those that are answered by an error, too, until there are
// too many.
func TestAnswers(t *testing.T) {
	var x Answers[int, string]
	asked := 0
	odd := errors.New("odd")
	ask := func(q int) (string, error) {
		return x.To(q, func() (string, error) {
			asked++
			if q%2 == 1 {
				return "", odd
			}
			return fmt.Sprint(q), nil
		})
	}
	for range 3 {
		a, err := ask(2)
		require.NoError(t, err)
		require.Equal(t, "2", a)
		_, err = ask(3)
		require.Equal(t, odd, err)
	}
	require.Equal(t, 2, asked)
	for q := range 2 * remembered {
		_, _ = ask(q)
		require.LessOrEqual(t, len(x.known), remembered)
	}
	require.Equal(t, 2*remembered, asked, "all but the two that were known")
}
