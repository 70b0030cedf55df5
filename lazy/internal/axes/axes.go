// Package axes reads layouts, which name the axes of tensors by letters: of convolutions, pools
// and weights.
//
// The package imports only ltc/internal/diag, ltc/ir and ltc/ir/types.
package axes

import (
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/types"
)

// OfConv reads a layout such as NHWC,HWIO->NHWC. The spatial axes are in
// the order that they have in x.
func OfConv(s string) (d ir.ConvDims, err error) {
	in, rest, ok1 := strings.Cut(s, ",")
	kernel, out, ok2 := strings.Cut(rest, "->")
	switch {
	case !ok1:
		return d, fmt.Errorf("layout %q is not written as NHWC,HWIO->NHWC is", s)
	case !ok2:
		return d, fmt.Errorf("layout %q does not name the axes of the result: write it as %s->%s", s, s, in)
	}
	spatial := strings.NewReplacer("N", "", "C", "").Replace(in)
	for _, p := range []struct {
		text, first string
		to          *[]int
	}{{in, "NC", &d.Input}, {kernel, "OI", &d.Kernel}, {out, "NC", &d.Output}} {
		for _, letter := range p.first + spatial {
			*p.to = append(*p.to, strings.IndexRune(p.text, letter))
		}
		if len(*p.to) != len(p.text) || !slices.Equal(slices.Sorted(slices.Values(*p.to)), types.Axes(len(p.text))) {
			return d, fmt.Errorf("layout %q: %s has not each of %s and of %q once", s, p.text, p.first, spatial)
		}
	}
	return d, nil
}

// OfPool returns the spatial axes of a tensor of that rank: all but those that a layout such as NHWC
// names N and C; without one, all after the first two.
func OfPool(layout string, rank int) ([]int, error) {
	if layout == "" {
		return types.Axes(rank)[min(2, rank):], nil
	}
	var axes []int
	for i, letter := range []byte(layout) {
		if letter != 'N' && letter != 'C' {
			axes = append(axes, i)
		}
		if strings.IndexByte(layout, letter) != i {
			return nil, fmt.Errorf("layout %q has %c twice", layout, letter)
		}
	}
	if len(layout) != rank || len(axes) != rank-2 {
		return nil, fmt.Errorf("layout %q is not N, C and the spatial axes of %s", layout, diag.Count(rank, "axis"))
	}
	return axes, nil
}

// Fans returns the fan-in and fan-out of a weight, for the initializer of a name; 1 for a dimension
// of 0, which has no elements. The layout, one at most, names the axes: OIHW, or all of NHWC,HWIO->NHWC.
func Fans(name string, shape types.Shape, layout []string) (in, out float64, err error) {
	axes := "IO"
	switch {
	case len(layout) == 0 && len(shape) != 2:
		err = fmt.Errorf("which of the %s are inputs and outputs is not known", diag.Count(len(shape), "axis"))
		if len(shape) > 2 {
			return 0, 0, fmt.Errorf("%w: name them as Conv's layout does: %s(\"OIHW\") for the kernel that Conv takes by default, %s(\"HWIO\") for one of NHWC,HWIO->NHWC", err, name, name)
		}
		return 0, 0, fmt.Errorf("%w: a bias or a scale is drawn with Uniform, Normal or Constant", err)
	case len(layout) > 1:
		return 0, 0, fmt.Errorf("%s takes one layout, has %d", name, len(layout))
	case len(layout) == 1:
		axes = layout[0]
	}
	if _, kernel, ok := strings.Cut(axes, ","); ok {
		if _, err := OfConv(axes); err != nil {
			return 0, 0, err
		}
		axes, _, _ = strings.Cut(kernel, "->")
	}
	if len(axes) != len(shape) || strings.Count(axes, "I") != 1 || strings.Count(axes, "O") != 1 {
		return 0, 0, fmt.Errorf("layout %q does not name I, O and the other axes of %v: it has a letter for each axis, as \"OIHW\" has", axes, shape)
	}
	in, out = 1, 1
	for i, d := range shape {
		size := float64(max(d, 1))
		if axes[i] == 'I' || axes[i] != 'O' && axes[i] != 'N' {
			in *= size
		}
		if axes[i] == 'O' || axes[i] != 'I' && axes[i] != 'N' {
			out *= size
		}
	}
	return in, out, nil
}
