// Ptxas assembles the modules of PTX that tests have kept, which make ptxas has
// them do, by NVIDIA's assembler for all GPUs that matter: it must not warn, and
// no entry may spill registers. What modules with names take is compared with a
// golden table, which -update writes anew.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"ltc/internal/ptxas"
)

// targets are GPUs: A100 and H100.
var targets = []string{"sm_80", "sm_90a"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("ptxas: ")
	assembler := flag.String("assembler", "ptxas", "NVIDIA's `program`")
	table := flag.String("table", "backends/cuda/ptx/testdata/ptxas.tsv", "the golden `file`")
	update := flag.Bool("update", false, "write the golden table anew")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("want the directory that modules are kept in")
	}
	modules, err := ptxas.Kept(flag.Arg(0))
	if err == nil && len(modules) == 0 {
		err = errors.New("there are no modules: no test has kept one")
	}
	if err == nil {
		err = check(modules, *assembler, *table, *update)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d modules assembled for %s: no warning, nothing spilled\n", len(modules), strings.Join(targets, " and "))
}

// check assembles modules and compares what they take with the table.
func check(modules []ptxas.Module, assembler, table string, update bool) error {
	said := make([][][]ptxas.Entry, len(modules))
	failed := make([]error, len(modules))
	next := make(chan int)
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := range next {
				said[i], failed[i] = assembled(&modules[i], assembler)
			}
		})
	}
	for i := range modules {
		next <- i
	}
	close(next)
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	got := text(modules, said)
	if update {
		return os.WriteFile(table, []byte(got), 0o666)
	}
	want, err := os.ReadFile(table)
	if err != nil {
		return err
	}
	return compare(string(want), got, table)
}

// assembled returns what entries take, by target; none for those that the module
// is not for.
func assembled(m *ptxas.Module, assembler string) ([][]ptxas.Entry, error) {
	dir, err := os.MkdirTemp("", "ptxas")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "k.ptx")
	if err := os.WriteFile(file, []byte(m.Text), 0o666); err != nil {
		return nil, err
	}
	all := make([][]ptxas.Entry, len(targets))
	for i, target := range targets {
		if strings.Contains(m.Text, ".target sm_90") && target < "sm_90" {
			continue
		}
		out, err := exec.Command(assembler, "-arch="+target, "-v", "-warn-spills", "-warn-lmem-usage", file, "-o", filepath.Join(dir, "k.cubin")).CombinedOutput()
		if err == nil {
			all[i], err = ptxas.Report(string(out))
		}
		if err != nil {
			return nil, fmt.Errorf("module %s %v for %s: %w\n%s", m.Hash, m.Names, target, err, out)
		}
	}
	return all, nil
}

// text is the table: of each entry of the modules with names, registers and a
// block's memory, by target.
func text(modules []ptxas.Module, said [][][]ptxas.Entry) string {
	var rows []string
	for i, m := range modules {
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

// compare reports the rows that differ.
func compare(want, got, table string) error {
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
		if _, there := g[name]; !there {
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
