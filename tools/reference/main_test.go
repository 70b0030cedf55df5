package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/ops"
)

// The files are what the source gives, there are no others, and a page is short.
func TestFilesAreCurrent(t *testing.T) {
	files, err := generate("../..")
	require.NoError(t, err)
	var pages []string
	for name, text := range files {
		old, err := os.ReadFile(filepath.Join("../..", name))
		require.NoError(t, err)
		require.Equal(t, string(text), string(old), "%s: go generate ./tools/reference writes it anew", name)
		require.Less(t, len(text), 15_000, name)
		if dir, page := filepath.Split(name); dir == "docs/reference/" {
			pages = append(pages, page)
		}
	}
	found, err := filepath.Glob("../../docs/reference/*.md")
	require.NoError(t, err)
	require.Len(t, found, len(pages))
}

func lazyLibrary(t *testing.T) *library {
	l, err := read("../..")
	require.NoError(t, err)
	return l
}

// A method has the name of its type, also if that is generic.
func TestNameOf(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\n func F() {}; func (t T) A() {}; func (t *T) B() {}; func (t *G[K]) C() {}; func (t H[K, V]) D() {}", 0)
	require.NoError(t, err)
	var names []string
	for _, d := range f.Decls {
		names = append(names, nameOf(d.(*ast.FuncDecl)))
	}
	require.Equal(t, []string{"F", "T.A", "T.B", "G.C", "H.D"}, names)
}

func TestGradients(t *testing.T) {
	l := lazyLibrary(t)
	for name, want := range map[string]string{
		"Tensor.Add":         "of `x`, `y`",
		"Tensor.Where":       "of `x`, `y`", // the condition is bool
		"Tensor.Gather":      "of `x`",
		"Tensor.Floor":       "0, as of every step function",
		"Tensor.ArgMax":      notFloat,
		"Tensor.Less":        notFloat,
		"Tensor.ShiftLeft":   "none: no operand is floating point",
		"Tensor.Softmax":     "its own, of `x`",
		"Tensor.Mean":        "by its ops, of `x`",
		"Tensor.SumKeep":     "by its ops",
		"Random.Dropout":     "of `x`",
		"Random.Categorical": "none: the probabilities that numbers are drawn with have none",
		"Zeros":              "",
		"Tensor.Fill_":       "",
		"Tensor.Shape":       "",
	} {
		require.Contains(t, l.decls, name)
		require.Equal(t, want, l.gradient(name), name)
	}
}

func TestRecorded(t *testing.T) {
	l := lazyLibrary(t)
	for name, want := range map[string]string{
		"Tensor.MulScalar": "mul",
		"Tensor.SumKeep":   "reshape sum",
		"computeMean":      "convert div sum",
		"computeErf":       "abs add compare convert div exp maximum minimum mul neg sub where", // of functions given to others
		"Random.Bits":      "philox4x32 reshape",
		"From":             "",
	} {
		require.Contains(t, l.decls, name)
		require.Equal(t, strings.Fields(want), append([]string{}, l.recorded(name)...), name)
	}
}

func TestTopics(t *testing.T) {
	l := lazyLibrary(t)
	without := func(name string) []page {
		all := slices.Clone(pages)
		for i := range all {
			all[i].topics = slices.Clone(all[i].topics)
			for j := range all[i].topics {
				names := strings.Fields(all[i].topics[j].names)
				all[i].topics[j].names = strings.Join(slices.DeleteFunc(names, func(n string) bool { return n == name }), " ")
			}
		}
		return all
	}
	_, err := l.fill(without("Trace.Read"))
	require.EqualError(t, err, "Trace.Read is in no topic: name it in tools/reference/topics.go")
	_, err = l.fill(without("AddScalar"))
	require.EqualError(t, err, "Tensor.AddScalar is in no topic: name it in tools/reference/topics.go")
	_, err = l.fill(append(without(""), page{topics: []topic{{"More", "Add"}}}))
	require.EqualError(t, err, "topic More: there is no Add, or it stands twice: rows of the op table stand in the topic of their family")
	_, err = l.fill(append(without(""), page{topics: []topic{{"More", "Nothing"}}}))
	require.EqualError(t, err, "topic More: there is no Nothing, or it stands twice: rows of the op table stand in the topic of their family")

	// Rows of the op table have the place that their family says.
	filled, err := l.fill(pages)
	require.NoError(t, err)
	for _, f := range ops.Families {
		if l.methods(f) == "" {
			continue // its rows are functions of packages
		}
		require.Contains(t, namesOf(pages, f), "*")
		require.NotContains(t, namesOf(filled, f), "*")
	}
	require.Contains(t, namesOf(filled, ops.Arithmetic), "Add")
	require.Contains(t, namesOf(filled, ops.Activations), "Softmax")
	_, err = l.fill(without("*"))
	require.EqualError(t, err, "Case is in no topic: give its family, Control flow, a topic with * in tools/reference/topics.go")
}

func namesOf(pages []page, family ops.Family) []string {
	for _, p := range pages {
		for _, topic := range p.topics {
			if topic.title == string(family) {
				return strings.Fields(topic.names)
			}
		}
	}
	return nil
}
