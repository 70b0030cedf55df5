// Command count prints the output of `go test -json` as go test itself would,
// and appends one line "passed failed skipped" with the number of tests to the
// file named by its argument. A package that fails without a failing test of
// its own (it does not build, it exits) counts as one failed test.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// event is what test2json writes; see `go doc test2json`.
type event struct {
	Action, Package, Test, Output string
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go test -json … | count FILE")
		os.Exit(2)
	}
	if err := count(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
}

func count(path string) error {
	tally := map[string]int{}
	failed := map[string]int{} // tests, by package
	quiet := map[string][]string{}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var e event
		if json.Unmarshal(in.Bytes(), &e) != nil { // vet and build errors, make's own lines
			fmt.Println(in.Text())
			continue
		}
		key := e.Package + "\x00" + e.Test
		switch {
		case e.Action == "build-output" || e.Action == "output" && e.Test == "":
			if e.Output != "PASS\n" {
				fmt.Print(e.Output)
			}
		case e.Action == "output":
			quiet[key] = append(quiet[key], e.Output)
		case e.Test != "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip"):
			tally[e.Action]++
			if e.Action == "fail" {
				failed[e.Package]++
			}
			// What passing tests say interests nobody; of skips, the reasons
			// of whole tests do.
			if e.Action == "fail" || e.Action == "skip" && !strings.Contains(e.Test, "/") {
				fmt.Print(strings.Join(quiet[key], ""))
			}
			delete(quiet, key)
		case e.Action == "fail" && failed[e.Package] == 0:
			tally["fail"]++
		}
	}
	if err := in.Err(); err != nil {
		return err
	}
	for _, lines := range quiet { // tests that a crash cut off
		fmt.Print(strings.Join(lines, ""))
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintln(f, tally["pass"], tally["fail"], tally["skip"])
	return err
}
