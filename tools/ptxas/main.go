// Ptxas assembles the modules of PTX that tests have kept, which make ptxas has
// them do, by NVIDIA's assembler for all GPUs that matter: it must not warn, and
// no entry may spill registers. What modules with names take is compared with a
// golden table, which -update writes anew, with the assembler of CUDA 13.0 alone.
//
// The compiler in a driver is the assembler of the driver's version of CUDA, and a
// crash of it ends the process. So assemblers of other versions must take all modules,
// too, without advice about tensor cores. An artifact keeps modules for sm_80 as the
// driver's linker makes them, which assembles them as -c does: all assemblers must take
// them so, but may spill. Modules for sm_90a are not assembled so: artifacts keep these
// as PTX alone, since in relocatable code setmaxnreg is ignored (C7504) and each product
// of a warpgroup is waited for (C7509).
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"ltc/internal/diag"
	"ltc/internal/test/ptxas"
)

// targets are GPUs: A100 and H100.
var targets = []string{"sm_80", "sm_90a"}

// tools are the paths of NVIDIA's programs.
type tools struct {
	assembler    string // whose numbers are in the golden table
	others       []otherAssembler
	disassembler string   // may be empty
	passed       *os.File // gets the hash of each module that all take; may be nil
}

// otherAssembler is an assembler of another version of CUDA.
type otherAssembler struct{ version, path string }

func main() {
	log.SetFlags(0)
	log.SetPrefix("ptxas: ")
	var t tools
	flag.StringVar(&t.assembler, "assembler", "ptxas", "NVIDIA's `program`")
	flag.Func("other", "another `VERSION=PROGRAM` that must take all modules; may be given more than once", func(s string) error {
		version, path, ok := strings.Cut(s, "=")
		if !ok {
			return errors.New("want VERSION=PROGRAM")
		}
		t.others = append(t.others, otherAssembler{version, path})
		return nil
	})
	flag.StringVar(&t.disassembler, "disassembler", "", "NVIDIA's nvdisasm, by which machine code for sm_90a is compared with its text; without it, it is not")
	table := flag.String("table", "backends/cuda/ptx/testdata/ptxas.tsv", "the golden `file`")
	update := flag.Bool("update", false, "write the golden table anew")
	known := flag.String("known", "backends/cuda/ptx/testdata/ptxas.txt", "the `file` of the hashes of modules that were assembled when the table was written")
	unknown := flag.Bool("unknown", false, "look only at modules that are not in the file of -known")
	passed := flag.String("passed", "", "a `file` of the hashes of modules that all programs took before: these are not looked at again, and what passes is added")
	named := flag.Bool("named", false, "look at modules with names only, and at no table")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("want the directory that modules are kept in")
	}
	modules, err := ptxas.Kept(flag.Arg(0))
	if *named {
		*table = ""
		modules = slices.DeleteFunc(modules, func(m ptxas.Module) bool { return len(m.Names) == 0 })
	}
	if err == nil && len(modules) == 0 {
		err = errors.New("there are no modules: no test has kept one")
	}
	skip := map[string]bool{}
	if err == nil && *unknown {
		skip, err = hashes(*known)
	}
	if err == nil && *passed != "" {
		err = t.keep(*passed, skip)
	}
	if err == nil {
		err = t.check(modules, skip, *table, *update)
	}
	if err == nil && *update {
		err = os.WriteFile(*known, list(modules), 0o666)
	}
	if err != nil {
		log.Fatal(err)
	}
	all := len(modules)
	modules = slices.DeleteFunc(modules, func(m ptxas.Module) bool { return skip[m.Hash] })
	if all > len(modules) {
		fmt.Printf("%d of %s are known\n", all-len(modules), diag.Count(all, "module"))
	}
	fmt.Printf("%s assembled for %s: no warning, nothing spilled\n", diag.Count(len(modules), "module"), strings.Join(targets, " and "))
	for _, o := range t.others {
		fmt.Printf("%s takes them, too\n", o.version)
	}
	if t.disassembler != "" {
		fmt.Println("machine code for sm_90a waits for what its text asks for, and for nothing else")
	}
}

// keep adds what is in the file of modules that passed to skip, and has later ones added
// to it: a run that was ended goes on where it was.
func (t *tools) keep(file string, skip map[string]bool) error {
	before, err := hashes(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	maps.Copy(skip, before)
	t.passed, err = os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	return err
}

// hashes returns those that a file of known modules has.
func hashes(file string) (map[string]bool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for hash := range strings.FieldsSeq(string(text)) {
		all[hash] = true
	}
	return all, nil
}

// list is the file of known modules.
func list(modules []ptxas.Module) []byte {
	var text []byte
	for _, m := range modules {
		text = append(text, m.Hash+"\n"...)
	}
	return text
}

// check assembles modules, but those to skip, and compares what they take with the table,
// if there is one.
func (t *tools) check(modules []ptxas.Module, skip map[string]bool, table string, update bool) error {
	said := make([][][]ptxas.Entry, len(modules))
	failed := make([]error, len(modules))
	next := make(chan int)
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := range next {
				said[i], failed[i] = t.assembled(&modules[i])
				if failed[i] == nil && t.passed != nil {
					_, failed[i] = t.passed.WriteString(modules[i].Hash + "\n")
				}
			}
		})
	}
	for i, m := range modules {
		if !skip[m.Hash] {
			next <- i
		}
	}
	close(next)
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	got := text(modules, said)
	switch {
	case table == "":
		return nil
	case update:
		return os.WriteFile(table, []byte(got), 0o666)
	}
	want, err := os.ReadFile(table)
	if err != nil {
		return err
	}
	return compare(string(want), got, table, skipped(modules, skip))
}

// skipped returns the names of modules that are not assembled.
func skipped(modules []ptxas.Module, skip map[string]bool) (names []string) {
	for _, m := range modules {
		if skip[m.Hash] {
			names = append(names, m.Names...)
		}
	}
	return names
}

// assembled returns what entries take, by target; none for those that the module
// is not for. Its error has all that is wrong with the module.
func (t *tools) assembled(m *ptxas.Module) ([][]ptxas.Entry, error) {
	dir, err := os.MkdirTemp("", "ptxas")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file, cubin := filepath.Join(dir, "k.ptx"), filepath.Join(dir, "k.cubin")
	if err := os.WriteFile(file, []byte(m.Text), 0o666); err != nil {
		return nil, err
	}
	var wrong []error
	// assemble runs an assembler, which must not warn unless it may spill.
	assemble := func(version, path, target string, spills bool, flags ...string) []ptxas.Entry {
		flags = append(flags, "-arch="+target, "-v", "-warn-spills", "-warn-lmem-usage", file, "-o", cubin)
		out, err := exec.Command(path, flags...).CombinedOutput()
		var entries []ptxas.Entry
		switch {
		case err == nil && spills:
			err = ptxas.Advice(string(out))
		case err == nil:
			entries, err = ptxas.Report(string(out))
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("module %s %v: ptxas%s %s: %w\n%s", m.Hash, m.Names, version, strings.Join(flags, " "), err, out))
		}
		return entries
	}
	hopper := strings.Contains(m.Text, ".target sm_90")
	all := make([][]ptxas.Entry, len(targets))
	for i, target := range targets {
		if hopper && target < "sm_90" {
			continue
		}
		all[i] = assemble("", t.assembler, target, false)
		if t.disassembler != "" && target == "sm_90a" && len(wrong) == 0 && ptxas.MayWait(m.Text) {
			code, err := exec.Command(t.disassembler, "-c", cubin).Output()
			if err == nil {
				err = ptxas.Waits(m.Text, string(code))
			}
			if err != nil {
				wrong = append(wrong, fmt.Errorf("module %s %v for %s: %w", m.Hash, m.Names, target, err))
			}
		}
		for _, o := range t.others {
			assemble(" "+o.version, o.path, target, false)
			if !hopper {
				assemble(" "+o.version, o.path, target, true, "-c")
			}
		}
		if len(t.others) > 0 && !hopper {
			assemble("", t.assembler, target, true, "-c")
		}
	}
	return all, errors.Join(wrong...)
}

// text is the table: of each entry of the modules with names, registers and a
// block's memory, by target.
func text(modules []ptxas.Module, said [][][]ptxas.Entry) string {
	var rows []string
	for i, m := range modules {
		if said[i] == nil {
			continue // skipped
		}
		for _, name := range m.Names {
			for e, entry := range said[i][len(targets)-1] {
				row := name
				if len(said[i][len(targets)-1]) > 1 {
					row += "/" + entry.Name
				}
				for t := range targets {
					if said[i][t] == nil {
						row += "\t-\t-"
						continue
					}
					row += "\t" + said[i][t][e].Registers + "\t" + said[i][t][e].Shared
				}
				rows = append(rows, row+"\n")
			}
		}
	}
	slices.Sort(rows)
	head := "kernel"
	for _, t := range targets {
		head += "\t" + t + " registers\tshared bytes"
	}
	return head + "\n" + strings.Join(rows, "")
}

// compare reports the rows that differ. The modules of some names were not assembled.
func compare(want, got, table string, skipped []string) error {
	ofSkipped := func(row string) bool {
		return slices.ContainsFunc(skipped, func(name string) bool { return row == name || strings.HasPrefix(row, name+"/") })
	}
	rows := func(s string) map[string]string {
		all := map[string]string{}
		for line := range strings.Lines(s) {
			name, row, _ := strings.Cut(strings.TrimSpace(line), "\t")
			all[name] = strings.ReplaceAll(row, "\t", " ")
		}
		return all
	}
	w, g := rows(want), rows(got)
	var differ []string
	for name := range w {
		if _, there := g[name]; !there && !ofSkipped(name) {
			differ = append(differ, fmt.Sprintf("%s: it was not emitted, %s has it", name, table))
		}
	}
	for name, row := range g {
		if w[name] != row {
			differ = append(differ, fmt.Sprintf("%s: %s, want %q", name, row, w[name]))
		}
	}
	if len(differ) == 0 {
		return nil
	}
	slices.Sort(differ)
	return fmt.Errorf("%s\nmake ptxas PTXASFLAGS=-update writes %s anew", strings.Join(differ, "\n"), table)
}
