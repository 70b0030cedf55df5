package cudafake

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/cublaslt"
	"ltc/backends/cuda/driver"
)

// Every function of the table is there, and takes what the table says.
func TestFunctions(t *testing.T) {
	kinds := map[rune][]reflect.Kind{'i': {reflect.Int32}, 'b': {reflect.Uint8}, 'w': {reflect.Uint16}, 'u': {reflect.Uint32}, 'q': {reflect.Uint64}, 'z': {reflect.Uint64},
		'd': {reflect.Uint64}, 'h': {reflect.Uintptr}, 'p': {reflect.Pointer, reflect.UnsafePointer, reflect.Uintptr, reflect.Uint64}}
	table := driver.Entries()
	require.Len(t, functions, len(table))
	for _, e := range table {
		fn := reflect.TypeOf(functions[e.Name])
		require.NotNil(t, fn, e.Name)
		require.Equal(t, len(e.Args), fn.NumIn()-1, e.Name)
		for i, letter := range e.Args {
			require.Contains(t, kinds[letter], fn.In(i+1).Kind(), "%s, argument %d", e.Name, i)
		}
	}
}

// So is every function of the table of package cublaslt.
func TestProductFunctions(t *testing.T) {
	kinds := map[rune][]reflect.Kind{'i': {reflect.Int32}, 'q': {reflect.Uint64}, 'l': {reflect.Int64}, 'z': {reflect.Uint64}, 'h': {reflect.Uintptr},
		'p': {reflect.Pointer, reflect.UnsafePointer, reflect.Uint64}}
	table := cublaslt.Entries()
	require.Len(t, productFunctions, len(table))
	for _, e := range table {
		fn := reflect.TypeOf(productFunctions[e.Name])
		require.NotNil(t, fn, e.Name)
		require.Equal(t, len(e.Args), fn.NumIn()-1, e.Name)
		require.Contains(t, kinds[rune(e.Result[0])], fn.Out(0).Kind(), e.Name)
		for i, letter := range e.Args {
			require.Contains(t, kinds[letter], fn.In(i+1).Kind(), "%s, argument %d", e.Name, i)
		}
	}
}

func TestClock(t *testing.T) {
	var a, b clock
	require.EqualValues(t, 1, a.tick(2))
	first := &moment{clock: append(clock(nil), a...), lane: 2, tick: 1}
	b.tick(1)
	require.False(t, first.before(&moment{clock: b, lane: 1, tick: 1}))
	b.join(a)
	require.True(t, first.before(&moment{clock: b, lane: 1, tick: 1}))
}
