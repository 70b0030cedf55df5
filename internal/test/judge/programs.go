package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"ltc/backends"
	"ltc/internal/diag"
	"ltc/internal/samples"
	"ltc/internal/test/optest"
	"ltc/soa"
	"ltc/soa/npy"
	"ltc/soa/safetensors"
)

// program is a module to judge.
type program struct {
	name string // its file, or archive:file
	text string
	npz  string // file of its inputs; "" if there is none
	// weights is a file of safetensors with its constants by name, which a program that is saved with them has; "" if there is none.
	weights string
	run     *optest.Run // what an op's archive says about the program, if it is from one
}

// find returns the programs below dirs whose name matches, in order of names.
func find(dirs []string, wanted *regexp.Regexp) ([]program, error) {
	var all []program
	add := func(p program) {
		if wanted.MatchString(p.name) {
			all = append(all, p)
		}
	}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			ext := filepath.Ext(path)
			if err != nil || d.IsDir() || ext != ".mlir" && ext != ".txtar" {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if ext == ".mlir" {
				p := program{name: path, text: string(data)}
				for file, at := range map[string]*string{".in.npz": &p.npz, ".safetensors": &p.weights} {
					file = strings.TrimSuffix(path, ext) + file
					if _, err := os.Stat(file); err == nil {
						*at = file
					}
				}
				add(p)
				return nil
			}
			for _, f := range txtar.Parse(data).Files {
				if f.Name == "mlir" || filepath.Ext(f.Name) == ".mlir" {
					add(program{name: path + ":" + f.Name, text: string(f.Data)})
				}
			}
			a, err := optest.Read(path)
			if err != nil {
				return nil // an archive of another kind
			}
			for i, r := range a.Runs {
				add(program{name: path + ":" + r.Name + ".run", text: a.MLIR[i], run: r})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// inputs returns a value for each argument.
func (p program) inputs(args []backends.Arg) ([]soa.View, error) {
	if p.run != nil {
		return p.listed(args)
	}
	values, err := made(args)
	if err != nil {
		return nil, err
	}
	if p.npz != "" {
		if err := p.recorded(args, values); err != nil {
			return nil, err
		}
	}
	if p.weights != "" {
		if err := p.constants(args, values); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// recorded sets the values that p.npz has, by position. It must have all but those that p.weights has.
func (p program) recorded(args []backends.Arg, values []soa.View) error {
	entries, err := npy.ReadArchive(p.npz)
	if err != nil {
		return err
	}
	arrays := map[string]soa.View{}
	for _, e := range entries {
		arrays[e.Name] = e.View
	}
	used := 0
	for i, a := range args {
		name := fmt.Sprintf("arr_%d", i)
		v, ok := arrays[name]
		if !ok {
			if a.Constant && p.weights != "" {
				continue
			}
			return fmt.Errorf("%s has no array %s, which main takes", p.npz, name)
		}
		if !v.Type.Equal(a.Type) {
			return fmt.Errorf("%s: %s: argument %d wants %v, found %v", p.npz, name, i, a.Type, v.Type)
		}
		values[i], used = v, used+1
	}
	if used != len(entries) {
		return fmt.Errorf("%s has %s, main takes %s", p.npz, diag.Count(len(entries), "array"), diag.Count(len(args), "argument"))
	}
	return nil
}

// constants sets the constants, which p.weights has by name.
func (p program) constants(args []backends.Arg, values []soa.View) error {
	b, err := soa.MapFile(p.weights)
	if err != nil {
		return err
	}
	file, err := safetensors.Decode(p.weights, b)
	if err != nil {
		return err
	}
	for i, a := range args {
		if !a.Constant {
			continue
		}
		t := slices.IndexFunc(file.Tensors, func(t safetensors.Tensor) bool { return t.Name == a.Name })
		if t < 0 {
			return fmt.Errorf("%s has no tensor %s, which main takes", p.weights, a.Name)
		}
		if values[i] = file.Tensors[t].View; !values[i].Type.Equal(a.Type) {
			return fmt.Errorf("%s: %s is %v, main wants %v", p.weights, a.Name, values[i].Type, a.Type)
		}
	}
	return nil
}

// listed returns the values that an op's archive lists, of the dtype that it shows,
// and made up ones for what the op adds to them.
func (p program) listed(args []backends.Arg) ([]soa.View, error) {
	values, err := made(args)
	if err != nil {
		return nil, err
	}
	for i, o := range p.run.Operands {
		x, err := o.Tensor(p.run.DTypes[p.run.Shown()])
		if err != nil {
			return nil, err
		}
		v := x.View().Parts()
		if i == len(args) || !v.Type.Equal(args[i].Type) {
			return nil, fmt.Errorf("operand %d of the archive, %v, is not argument %d of main", i, x.Type, i)
		}
		values[i] = v
	}
	return values, nil
}

// made makes values up: random ones, the same in every run, without integer
// zeros: what dividing by them gives is each backend's own choice.
func made(args []backends.Arg) ([]soa.View, error) {
	values := make([]soa.View, len(args))
	for i, a := range args {
		v, err := samples.Make(a.Type, fmt.Sprintf("rand:%d", i))
		if err != nil {
			return nil, err
		}
		if a.Type.DType.IsInteger() {
			for k := range a.Type.Elements() {
				if samples.Bits(v, k) == 0 {
					samples.SetBits(v, k, 1)
				}
			}
		}
		values[i] = v
	}
	return values, nil
}
