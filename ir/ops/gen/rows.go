package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ltc/ir/ops"
)

// The files of the rows, from the module's root.
const (
	tableFile      = "ir/ops/table.go"
	compositesFile = "ir/ops/composites.go"
)

// checkRows returns an error for each mistake in a row that the generator cannot write
// methods for, with the row's place below root.
func checkRows(root string, table, composites []ops.Op, packages []ops.Package) error {
	var all []error
	check := func(file string, rows []ops.Op, mistakes func(*ops.Op) []string) {
		for i := range rows {
			for _, m := range append(familyMistakes(&rows[i]), mistakes(&rows[i])...) {
				all = append(all, fmt.Errorf("%s: row %s: %s", placeOf(root, file, rows[i].Name), rows[i].Name, m))
			}
		}
	}
	check(tableFile, table, primitiveMistakes)
	check(compositesFile, composites, compositeMistakes)
	for _, p := range packages {
		check("ir/ops/"+p.Name+".go", p.Rows, functionMistakes)
	}
	return errors.Join(all...)
}

// placeOf returns file:line of a row; the file alone if it cannot be read.
func placeOf(root, file, name string) string {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		return file
	}
	before, _, ok := bytes.Cut(text, []byte(fmt.Sprintf("{Name: %q", name)))
	if !ok {
		return file
	}
	return fmt.Sprintf("%s:%d", file, 1+bytes.Count(before, []byte("\n")))
}

func familyMistakes(o *ops.Op) []string {
	switch {
	case o.Family == "":
		return []string{"it has no Family, whose page in docs/reference/ops has it: copy that of an op like it"}
	case !slices.Contains(ops.Families, o.Family):
		return []string{fmt.Sprintf("its Family %q is not in ops.Families: add it there, and as a topic in tools/reference/topics.go", o.Family)}
	}
	return nil
}

func primitiveMistakes(o *ops.Op) (all []string) {
	if o.Traits.Has(ops.Internal) {
		return nil
	}
	for _, a := range o.Attrs {
		switch a.Kind {
		case ops.Real, ops.Extended:
			all = append(all, fmt.Sprintf("attribute %s is of the kind %s, which only composites have: move the row to %s, or make the number an operand", a.Name, kindNames[a.Kind], compositesFile))
		case ops.Literal:
			all = append(all, noForm(a)+": add Internal to Traits and write the method by hand in package lazy")
		}
	}
	switch {
	case strings.Contains(o.HLO, ".") && !strings.HasPrefix(o.HLO, "chlo."):
		all = append(all, fmt.Sprintf("HLO is %q, but has the name of an op of StableHLO without its prefix, or chlo.NAME: for an op of another dialect add OwnLowering to Traits in its place", o.HLO))
	case o.HLO == "" && !o.Traits.Has(ops.OwnLowering):
		all = append(all, "it has no lowering: name the op of StableHLO in HLO, or add OwnLowering to Traits")
	}
	return append(all, severalMistakes(o)...)
}

func compositeMistakes(o *ops.Op) (all []string) {
	for i, a := range o.Attrs {
		if _, ok := attrForms[a.Kind]; !ok {
			all = append(all, noForm(a)+" of a composite: use Int, Ints, Axis, Axes, DType, Real, Extended or Flag")
		} else if a.Kind.Checked() && o.DemandOf(i) == "" {
			all = append(all, fmt.Sprintf("attribute %s is of the kind %s, whose check needs words: add Where: []Demand{{%q, %q}}", a.Name, kindNames[a.Kind], a.Name, a.Name+wordsOf(a.Kind, o)))
		}
	}
	return append(all, severalMistakes(o)...)
}

// functionMistakes are those of a row of a package of functions, which lazy.Define takes.
func functionMistakes(o *ops.Op) (all []string) {
	if o.Traits&^(ops.OwnGradient|ops.Inline|ops.InPlace|ops.Internal|ops.Promotes|ops.Floating|ops.Loops|ops.AutocastNarrow|ops.AutocastWide) != 0 {
		all = append(all, "a function can have the traits OwnGradient, Inline, InPlace, Internal, Promotes, Floating, Loops, AutocastNarrow and AutocastWide alone: remove others from Traits, or move the row to "+compositesFile)
	}
	for _, a := range o.Attrs {
		if (a.Kind == ops.Ints || a.Kind == ops.Axes) && !o.Traits.Has(ops.Inline) {
			all = append(all, fmt.Sprintf("attribute %s is of the kind %v, which only inline composites have: add Inline to Traits", a.Name, a.Kind))
		}
	}
	return append(all, compositeMistakes(o)...)
}

func severalMistakes(o *ops.Op) []string {
	if len(o.Results) > 0 && o.Traits&oneResult != 0 {
		return []string{"it has Results, but the traits InPlace, View and Inline are of rows with one result: remove them from Traits"}
	}
	return nil
}

// oneResult are the traits of rows with one result.
const oneResult = ops.InPlace | ops.View | ops.Inline

func noForm(a ops.Attr) string {
	return fmt.Sprintf("attribute %s is of the kind %v, which cannot be an argument of the method", a.Name, a.Kind)
}

// kindNames are the constants of the kinds that are checked.
var kindNames = map[ops.AttrKind]string{ops.Axis: "Axis", ops.Axes: "Axes", ops.DType: "DType", ops.Real: "Real", ops.Extended: "Extended"}

// wordsOf says, after the attribute's name, what its kind checks.
func wordsOf(k ops.AttrKind, o *ops.Op) string {
	switch {
	case k == ops.Axis && len(o.Operands) > 0:
		return " is one of those of " + o.Operands[0].Name
	case k == ops.Axes && len(o.Operands) > 0:
		return " are some of those of " + o.Operands[0].Name
	case k == ops.Real:
		return " is finite"
	case k == ops.Extended:
		return " is no NaN"
	}
	return " is valid"
}
