package tag

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// Tags that Go's own reader of tags does not find are not left out in silence.
func TestParse(t *testing.T) {
	name, option, err := Parse(`json:"a" soa:"b,scalar"`)
	require.NoError(t, err)
	require.Equal(t, []string{"b", "scalar"}, []string{name, option})
	name, option, err = Parse(`json:"soa"`)
	require.NoError(t, err)
	require.Empty(t, name+option)
	for _, tag := range []reflect.StructTag{`soa: "b"`, `soa:b`, `json:"a",soa:"b"`} {
		_, _, err = Parse(tag)
		require.EqualError(t, err, "its tag `"+string(tag)+"` is malformed: want `soa:\"name,option\"`")
	}
}
