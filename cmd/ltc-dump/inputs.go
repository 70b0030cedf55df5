package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ltc/backends"
	"ltc/checkpoint"
	"ltc/internal/diag"
	"ltc/internal/samples"
	"ltc/soa"
	"ltc/soa/npy"
	"ltc/soa/safetensors"
)

// input is one -input flag.
type input struct{ name, source string }

// inputs collects the -input flags.
type inputs []input

func (in *inputs) String() string { return "" }

// Set adds a flag's value.
func (in *inputs) Set(s string) error {
	name, source, named := strings.Cut(s, "=")
	if !named {
		name, source = "", s
	}
	if source == "" {
		return fmt.Errorf("want a .npy, .npz or .safetensors file, %s", samples.Kinds)
	}
	*in = append(*in, input{name, source})
	return nil
}

// weightsHint says which file of constants checkpoint.SaveProgram wrote beside a program, and how
// many arguments it has that lack a value; "" if it has none. Nil lacking: all arguments.
func weightsHint(program string, lacking map[string]bool) string {
	p, err := checkpoint.OpenProgram(program)
	if err != nil {
		return ""
	}
	defer p.Close()
	n := 0
	for name := range p.Constants {
		if lacking == nil || lacking[name] {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	file, _ := checkpoint.ConstantsPath(program) // an error has been that of OpenProgram
	return fmt.Sprintf("%s has the weights of the program, %s: give it to run with -input %s", file, diag.Count(n, "argument"), file)
}

// values returns a value for each argument: first those given by name, then
// the others in the order of the flags. If madeUp is set the rest gets random
// ones. The hint names the file with weights of these.
func (in inputs) values(p *program, args []backends.Arg, madeUp bool) (values []soa.View, hint string, err error) {
	b := binding{program: p, args: args, values: make([]soa.View, len(args)), set: make([]bool, len(args))}
	for _, x := range in {
		var err error
		switch {
		case several(x.source) && x.name == "":
			err = b.archive(x.source)
		case x.name != "":
			err = b.named(x)
		}
		if err != nil {
			return nil, "", err
		}
	}
	for _, x := range in {
		if several(x.source) || x.name != "" {
			continue
		}
		i := slices.Index(b.set, false)
		if i < 0 {
			return nil, "", fmt.Errorf("-input %s: %s takes %s, which all have a value already", x.source, p.function, diag.Count(len(args), "argument"))
		}
		if err := b.put(i, x.source); err != nil {
			return nil, "", err
		}
	}
	var missing []int
	lacking := map[string]bool{}
	for i, set := range b.set {
		if !set {
			missing = append(missing, i)
			lacking[args[i].Name] = true
		}
	}
	if len(missing) == 0 {
		return b.values, "", nil
	}
	hint = weightsHint(p.file, lacking)
	if !madeUp {
		return nil, "", b.lack(missing, hint)
	}
	for _, i := range missing {
		if err := b.put(i, fmt.Sprintf("rand:%d", i+1)); err != nil {
			return nil, "", err
		}
	}
	return b.values, hint, nil
}

// binding is the arguments' values as far as they are known.
type binding struct {
	*program
	args   []backends.Arg
	values []soa.View
	set    []bool
	made   int      // bytes of the values made up
	names  []string // what written has found
}

// written returns the arguments' names in the text.
func (b *binding) written() []string {
	if b.names == nil {
		b.names = make([]string, len(b.args))
		_, _, body := b.definition()
		for i := range min(len(b.args), len(body.Args)) {
			b.names[i] = body.Args[i].Name
		}
	}
	return b.names
}

// argument names argument i for errors.
func (b *binding) argument(i int) string {
	if name := b.args[i].Name; name != "" {
		return fmt.Sprintf("argument %d %q", i, name)
	}
	if name := b.written()[i]; name != "" {
		return fmt.Sprintf("argument %d (%%%s)", i, name)
	}
	return fmt.Sprintf("argument %d", i)
}

// lack is the error of arguments without a value.
func (b *binding) lack(missing []int, hint string) error {
	var lines []string
	for _, i := range missing {
		lines = append(lines, "\n  "+b.argument(i)+": "+backends.TypeText(b.args[i].Type))
	}
	if hint != "" {
		lines = append(lines, "\n"+hint)
	}
	return fmt.Errorf("no -input for%s", strings.Join(lines, ""))
}

// find returns the argument with that ltc.name, or else with that name in the
// text, which has no value yet.
func (b *binding) find(name, source string) (int, error) {
	i := slices.IndexFunc(b.args, func(a backends.Arg) bool { return a.Name == name })
	if i < 0 {
		i = slices.Index(b.written(), strings.TrimPrefix(name, "%"))
	}
	switch {
	case i >= 0 && b.set[i]:
		return 0, fmt.Errorf("-input %s: %s has a value already", source, b.argument(i))
	case i >= 0:
		return i, nil
	}
	var names []string
	for i, a := range b.args {
		if a.Name != "" {
			names = append(names, strconv.Quote(a.Name))
		} else if w := b.written()[i]; w != "" {
			names = append(names, "%"+w)
		}
	}
	if names == nil {
		names = []string{"none with a name"}
	}
	return 0, fmt.Errorf("-input %s: %s has no argument %q: it has %s", source, b.function, name, strings.Join(names, ", "))
}

func (b *binding) named(x input) error {
	i, err := b.find(x.name, x.name+"="+x.source)
	if err != nil {
		return err
	}
	return b.put(i, x.source)
}

// several reports whether a file has values of several arguments, by name.
func several(file string) bool {
	return filepath.Ext(file) == ".npz" || filepath.Ext(file) == ".safetensors"
}

// entries returns the named values of a file that has several.
func entries(file string) ([]npy.Entry, error) {
	if filepath.Ext(file) == ".npz" {
		return npy.ReadArchive(file)
	}
	f, err := safetensors.Map(file)
	if err != nil {
		return nil, err
	}
	var all []npy.Entry
	for _, t := range f.Tensors {
		all = append(all, npy.Entry{Name: t.Name, View: t.View})
	}
	return all, nil
}

// archive takes all values of a .npz or .safetensors file, by the arguments' names or by
// position: arr_0, arr_1, … as NumPy names them, in0, in1, …, or out0, out1, ….
// Results of a run have the last names.
func (b *binding) archive(file string) error {
	entries, err := entries(file)
	if err != nil {
		return err
	}
	for _, e := range entries {
		i := slices.IndexFunc(b.args, func(a backends.Arg) bool { return a.Name == e.Name })
		if at := position(e.Name); i < 0 && at >= 0 && at < len(b.args) && !b.set[at] {
			i = at
		} else if i, err = b.find(e.Name, file); err != nil {
			return err
		}
		if err := b.check(i, e.View, file); err != nil {
			return err
		}
	}
	return nil
}

// position reads arr_N, inN and outN; -1 for other names.
func position(name string) int {
	for _, prefix := range []string{"arr_", "in", "out"} {
		if digits, ok := strings.CutPrefix(name, prefix); ok {
			if n, err := strconv.Atoi(digits); err == nil {
				return n
			}
		}
	}
	return -1
}

// put reads or makes the value of argument i.
func (b *binding) put(i int, source string) error {
	if filepath.Ext(source) == ".npy" {
		v, err := npy.ReadFile(source)
		if err != nil {
			return err
		}
		return b.check(i, v, source)
	}
	if several(source) {
		return fmt.Errorf("-input for %s: %s: a %s file gives arguments by its own names: leave out the name before it", b.argument(i), source, filepath.Ext(source))
	}
	if t := b.args[i].Type; slices.Contains(t.Shape, backends.AnySize) {
		return fmt.Errorf("-input for %s: the program leaves sizes of %s open: give -size, or a .npy, .npz or .safetensors file; found %q", b.argument(i), backends.TypeText(t), source)
	}
	if err := b.room(i); err != nil {
		return err
	}
	v, err := samples.Make(b.args[i].Type, source)
	if err != nil {
		return fmt.Errorf("-input for %s: want a .npy, .npz or .safetensors file, %s; found %q", b.argument(i), samples.Kinds, source)
	}
	return b.check(i, v, source)
}

// room reports, where the argument stands in the text, that argument i and the
// values made up before it are more than memory holds.
func (b *binding) room(i int) error {
	t := b.args[i].Type
	err := t.Check()
	if err == nil {
		err = soa.Fits(b.made + t.Bytes()) // a sum beyond an int is negative
	}
	if err != nil {
		return b.at(b.written()[i], fmt.Sprintf("%s, %v: %v", b.argument(i), t, err))
	}
	b.made += t.Bytes()
	return nil
}

// check takes v as the value of argument i if it has its type.
func (b *binding) check(i int, v soa.View, source string) error {
	if a := b.args[i]; backends.Fits(v, a.Type) != nil {
		return fmt.Errorf("%s wants %s, %s holds %v", b.argument(i), backends.TypeText(a.Type), source, v.Type)
	}
	b.values[i], b.set[i] = v, true
	return nil
}
