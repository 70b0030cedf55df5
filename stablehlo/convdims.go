package stablehlo

import (
	"fmt"
	"strconv"
	"strings"

	"ltc/mlir"
)

// ConvDims is the dimension numbers of a convolution.
type ConvDims struct {
	InputBatch, InputFeature             int64
	InputSpatial                         []int64
	KernelInputFeature, KernelOutFeature int64
	KernelSpatial                        []int64
	OutputBatch, OutputFeature           int64
	OutputSpatial                        []int64
}

// ParseConv reads `#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>` or the form
// with the names of the fields, `#stablehlo.conv<raw input_batch_dimension =
// 0, …>`.
func ParseConv(a mlir.Attribute) (d ConvDims, err error) {
	if a == nil {
		return d, fmt.Errorf("attribute dimension_numbers is missing: #stablehlo.conv<…> is expected")
	}
	text, ok := strings.CutPrefix(strings.Join(strings.Fields(a.String()), ""), "#stablehlo.conv<")
	if !ok {
		return d, fmt.Errorf("attribute dimension_numbers is %s, but #stablehlo.conv<…> is expected", mlir.Clip(a.String()))
	}
	text = strings.TrimSuffix(text, ">")
	if raw, ok := strings.CutPrefix(text, "raw"); ok {
		return d, d.readFields(raw)
	}
	return d, d.readLabels(text)
}

func (d *ConvDims) readFields(text string) error {
	numbers := map[string]*int64{
		"input_batch_dimension": &d.InputBatch, "input_feature_dimension": &d.InputFeature,
		"kernel_input_feature_dimension": &d.KernelInputFeature, "kernel_output_feature_dimension": &d.KernelOutFeature,
		"output_batch_dimension": &d.OutputBatch, "output_feature_dimension": &d.OutputFeature,
	}
	lists := map[string]*[]int64{
		"input_spatial_dimensions": &d.InputSpatial, "kernel_spatial_dimensions": &d.KernelSpatial,
		"output_spatial_dimensions": &d.OutputSpatial,
	}
	for text != "" {
		name, rest, ok := strings.Cut(text, "=")
		value, after, bracket := strings.Cut(strings.TrimPrefix(rest, "["), "]")
		if !strings.HasPrefix(rest, "[") {
			value, after, _ = strings.Cut(rest, ",")
		} else if after = strings.TrimPrefix(after, ","); !bracket {
			ok = false
		}
		list, err := numberList(value)
		switch n, isNumber := numbers[name]; {
		case !ok || err != nil:
			return fmt.Errorf("dimension numbers: %s is not name = number or name = [numbers]", mlir.Clip(text))
		case isNumber && len(list) == 1:
			*n = list[0]
		case lists[name] != nil:
			*lists[name] = list
		default:
			return fmt.Errorf("dimension numbers: unknown field %s", mlir.Clip(name))
		}
		text = after
	}
	return nil
}

func numberList(text string) ([]int64, error) {
	if text == "" {
		return nil, nil
	}
	var list []int64
	for e := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(e, 10, 64)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// readLabels reads [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]: each operand's
// dimensions by what they are.
func (d *ConvDims) readLabels(text string) error {
	lhs, rest, ok1 := strings.Cut(text, "x")
	rhs, out, ok2 := strings.Cut(rest, "->")
	if !ok1 || !ok2 {
		return fmt.Errorf("dimension numbers are written [b, 0, f]x[0, i, o]->[b, 0, f], not %s", mlir.Clip(text))
	}
	err := labelled(lhs, "b", "f", &d.InputBatch, &d.InputFeature, &d.InputSpatial)
	if err == nil {
		err = labelled(rhs, "i", "o", &d.KernelInputFeature, &d.KernelOutFeature, &d.KernelSpatial)
	}
	if err == nil {
		err = labelled(out, "b", "f", &d.OutputBatch, &d.OutputFeature, &d.OutputSpatial)
	}
	return err
}

// labelled reads one list: two letters and the spatial dimensions from 0 on,
// each once. A ? stands for a dimension that is none of them.
func labelled(text, a, b string, first, second *int64, spatial *[]int64) error {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	at := map[string]int64{}
	for i, e := range strings.Split(text, ",") {
		if _, twice := at[e]; twice && e != "?" {
			return fmt.Errorf("dimension numbers: [%s] has %s twice", text, e)
		}
		at[e] = int64(i)
	}
	delete(at, "?")
	for letter, to := range map[string]*int64{a: first, b: second} {
		i, ok := at[letter]
		if !ok {
			return fmt.Errorf("dimension numbers: [%s] has no %s", text, letter)
		}
		*to = i
		delete(at, letter)
	}
	for n := range len(at) {
		i, ok := at[strconv.Itoa(n)]
		if !ok {
			return fmt.Errorf("dimension numbers: [%s] should have %s, %s and the spatial dimensions from 0 on", text, a, b)
		}
		*spatial = append(*spatial, i)
	}
	return nil
}

// Attr returns the attribute with labels, or nil when the numbers are not those
// of dimensions, each once.
func (d ConvDims) Attr() mlir.Attribute {
	b := []byte("stablehlo.conv<")
	for i, t := range []struct {
		first, second string
		x, y          int64
		spatial       []int64
	}{
		{"b", "f", d.InputBatch, d.InputFeature, d.InputSpatial},
		{"i", "o", d.KernelInputFeature, d.KernelOutFeature, d.KernelSpatial},
		{"b", "f", d.OutputBatch, d.OutputFeature, d.OutputSpatial},
	} {
		labels := map[int64]string{t.x: t.first, t.y: t.second}
		low, top := min(t.x, t.y), max(t.x, t.y)
		for k, s := range t.spatial {
			labels[s] = strconv.Itoa(k)
			low, top = min(low, s), max(top, s)
		}
		if len(labels) != len(t.spatial)+2 || low < 0 || top > 100 {
			return nil
		}
		b = append(append(b, []string{"", "x", "->"}[i]...), '[')
		for k := range top + 1 {
			if k > 0 {
				b = append(b, ", "...)
			}
			if l := labels[k]; l != "" {
				b = append(b, l...)
			} else {
				b = append(b, '?')
			}
		}
		b = append(b, ']')
	}
	return mlir.DialectAttr{Text: string(append(b, '>'))}
}
