package diag

import "testing"

func TestMeant(t *testing.T) {
	for _, c := range []struct {
		name  string
		names []string
		want  string
	}{
		{"axsi", []string{"eps", "axis"}, "; did you mean axis? the attributes are eps, axis"},
		{"momentum", []string{"eps", "axis"}, "; the attributes are eps, axis"},
		{"a", []string{"b"}, "; the only attribute is b"},
		{"a", nil, "; there are no attributes"},
	} {
		if got := Meant(c.name, "attribute", c.names); got != c.want {
			t.Errorf("%s of %v: %q, want %q", c.name, c.names, got, c.want)
		}
	}
	for pair, want := range map[[2]string]int{{"", "ab"}: 2, {"ab", "ba"}: 1, {"scale", "scael"}: 1, {"x", "x"}: 0, {"kitten", "sitting"}: 3} {
		if got := Edits(pair[0], pair[1]); got != want {
			t.Errorf("%v: %d edits, want %d", pair, got, want)
		}
	}
}
