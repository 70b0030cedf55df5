package reference

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ltc/mlir"
)

// convDims says which dimensions of a convolution's operands and result are
// what: of lhs batch, feature and the spatial ones, of rhs input feature,
// output feature and the spatial ones, of the result as of lhs.
type convDims [3]struct {
	first, second int
	spatial       []int
}

// parseConvDims reads `#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>`, or the
// form with `raw` and names.
func parseConvDims(a mlir.Attribute, rank int) (convDims, error) {
	var c convDims
	text := ""
	if a != nil {
		text = strings.Join(strings.Fields(a.String()), "")
	}
	inner, ok := strings.CutPrefix(text, "#stablehlo.conv<")
	inner, ok2 := strings.CutSuffix(inner, ">")
	if !ok || !ok2 {
		return c, fmt.Errorf("attribute dimension_numbers: want #stablehlo.conv<…>, got %v", a)
	}
	var err error
	if raw, ok := strings.CutPrefix(inner, "raw"); ok {
		err = c.parseRaw(raw)
	} else {
		err = c.parseLists(inner)
	}
	if err != nil {
		return c, fmt.Errorf("attribute dimension_numbers: %w", err)
	}
	for i, side := range []string{"lhs", "rhs", "the result"} {
		all := append(slices.Clone(c[i].spatial), c[i].first, c[i].second)
		slices.Sort(all)
		for k, d := range all {
			if d != k || len(all) != rank {
				return c, fmt.Errorf("attribute dimension_numbers: %v of %s are not the dimensions of a tensor of rank %d", all, side, rank)
			}
		}
	}
	return c, nil
}

func (c *convDims) parseLists(s string) error {
	lhs, rest, ok1 := strings.Cut(s, "]x[")
	rhs, out, ok2 := strings.Cut(rest, "]->[")
	if !ok1 || !ok2 {
		return fmt.Errorf("want […]x[…]->[…], got %s", s)
	}
	for i, list := range []string{strings.TrimPrefix(lhs, "["), rhs, strings.TrimSuffix(out, "]")} {
		names, d := [2]string{"b", "f"}, &c[i]
		if i == 1 {
			names = [2]string{"i", "o"}
		}
		labels := strings.Split(list, ",")
		d.first, d.second, d.spatial = -1, -1, make([]int, max(len(labels)-2, 0))
		for k := range d.spatial {
			d.spatial[k] = -1
		}
		for at, label := range labels {
			switch label {
			case names[0]:
				d.first = at
			case names[1]:
				d.second = at
			default:
				k, err := strconv.Atoi(label)
				if err != nil || k < 0 || k >= len(d.spatial) {
					return fmt.Errorf("%q in [%s] is none of %s, %s and %d spatial dimensions", label, list, names[0], names[1], len(d.spatial))
				}
				d.spatial[k] = at
			}
		}
	}
	return nil
}

func (c *convDims) parseRaw(s string) error {
	one := map[string]*int{
		"input_batch_dimension": &c[0].first, "input_feature_dimension": &c[0].second,
		"kernel_input_feature_dimension": &c[1].first, "kernel_output_feature_dimension": &c[1].second,
		"output_batch_dimension": &c[2].first, "output_feature_dimension": &c[2].second,
	}
	many := map[string]*[]int{
		"input_spatial_dimensions": &c[0].spatial, "kernel_spatial_dimensions": &c[1].spatial, "output_spatial_dimensions": &c[2].spatial,
	}
	for s != "" {
		name, rest, ok := strings.Cut(s, "=")
		list, after, isList := "", "", false
		if rest, isList = strings.CutPrefix(rest, "["); isList {
			list, after, ok = strings.Cut(rest, "]")
			after = strings.TrimPrefix(after, ",")
		} else {
			list, after, _ = strings.Cut(rest, ",")
		}
		to, single := one[name]
		all, several := many[name]
		if !ok || single == isList || single == several {
			return fmt.Errorf("cannot read %s", s)
		}
		for item := range strings.SplitSeq(list, ",") {
			if item == "" {
				continue
			}
			v, err := strconv.Atoi(item)
			if err != nil {
				return fmt.Errorf("%s: %q is not a number", name, item)
			}
			if single {
				*to = v
			} else {
				*all = append(*all, v)
			}
		}
		s = after
	}
	return nil
}
