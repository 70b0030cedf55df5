package objcache

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestListAndClear(t *testing.T) {
	c, _ := fresh(t, 0)
	c.Put(parts(1), "one", make([]byte, 100))
	c.Put(parts(2), "two", make([]byte, 200))
	past := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(c.Dir(), parts(2).Key().String()), past, past))
	foreign := filepath.Join(c.Dir(), "notes.txt")
	require.NoError(t, os.WriteFile(foreign, nil, 0o600))
	damaged := filepath.Join(c.Dir(), parts(3).Key().String())
	require.NoError(t, os.WriteFile(damaged, nil, 0o600))
	abandoned := filepath.Join(c.Dir(), prefix+"1")
	require.NoError(t, os.WriteFile(abandoned, nil, 0o600))
	require.NoError(t, os.Chtimes(abandoned, past.Add(-time.Minute), past.Add(-time.Minute)))

	entries, err := c.List()
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.Equal(t, "one", entries[0].Label)
	require.Equal(t, parts(1).Key(), entries[0].Key)
	require.WithinDuration(t, time.Now(), entries[0].Created, time.Minute)
	require.Equal(t, "two", entries[1].Label)
	require.WithinDuration(t, past, entries[1].Used, time.Minute)
	require.Equal(t, []string{"text", "build", "features"}, []string{entries[0].Parts[0].Name, entries[0].Parts[1].Name, entries[0].Parts[2].Name})
	require.Equal(t, parts(1)[0].Value, entries[0].Parts[0].Value)
	require.FileExists(t, damaged, "listing changes nothing")

	_, ok := c.Get(parts(2).Key()) // is a use
	require.True(t, ok)
	entries, bad, err := c.Verify()
	require.NoError(t, err)
	require.Equal(t, "two", entries[0].Label)
	require.Len(t, bad, 2)
	require.Equal(t, damaged, bad[0].Path)
	require.EqualError(t, bad[0].Why, "it is no compiled object of this version")
	require.EqualError(t, bad[1].Why, "its process was killed while it wrote")
	require.NoFileExists(t, damaged)
	require.NoFileExists(t, abandoned)

	n, _, err := c.Clear()
	require.NoError(t, err)
	require.Equal(t, 2, n)
	entries, err = c.List()
	require.NoError(t, err)
	require.Empty(t, entries)
	require.FileExists(t, foreign)
}

// Why an object was compiled: the entry that is nearest to it, and the part that
// is not the same.
func TestWhy(t *testing.T) {
	c, _ := fresh(t, 0)
	base := Parts{{"text", "a\nb\nc\n"}, {"build", "llvm-19"}, {"features", "+avx,+avx2"}}
	with := func(i int, value string) Parts {
		p := append(Parts(nil), base...)
		p[i].Value = value
		return p
	}
	long := strings.Repeat("x", maxValue)
	for _, p := range []Parts{base, with(0, "a\nB\nc\n"), with(0, "a\nB\nC\n"), with(0, "a\nb\nc\nd\n"), with(0, long+"1"), with(1, "llvm-15"), with(2, ""),
		{{"text", "a\nb\nc\n"}, {"build", "llvm-19"}, {"options", "O3"}}} {
		c.Put(p, "", nil)
	}
	found, err := c.Find(base.Key().String()[:12])
	require.NoError(t, err)
	require.Len(t, found, 1)
	near, err := c.Why(found[0])
	require.NoError(t, err)
	var said []string
	for _, n := range near {
		var one []string
		for _, d := range n.Differences {
			one = append(one, d.String())
		}
		said = append(said, strings.Join(one, "; "))
	}
	require.ElementsMatch(t, []string{
		`text, line 2: "b", there "B"`,
		`text, line 4: it ends, there "d"`,
		`build: "llvm-19", there "llvm-15"`,
		`features: "+avx,+avx2", there ""`,
		`text, line 2: "b", there "B"`,
		`text: 6 bytes (880553fca8fcea94), there 8193 bytes (b58b09da1d5cee12)`,
		`features: "+avx,+avx2", there none; options: none, there "O3"`,
	}, said)
	require.Contains(t, said[5], "text: 6 bytes")
	require.Contains(t, said[6], "options: none")
}

// Where two long lines differ is shown, not their equal beginning.
func TestFromDifference(t *testing.T) {
	same := strings.Repeat("+feature,", 30)
	a, b := fromDifference(same+"+x", same+"+y")
	require.Equal(t, "…"+same[len(same)-29:]+"+x", a)
	require.Equal(t, "…"+same[len(same)-29:]+"+y", b)
	a, b = fromDifference("short", "other")
	require.Equal(t, "short other", a+" "+b)
	a, _ = fromDifference("a"+same, "b"+same)
	require.Equal(t, "a"+same, a)
}
