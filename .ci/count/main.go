// Command count prints the output of `go test -json` as go test itself would,
// and appends one line "passed failed skipped" with the number of tests to the
// file named by its first argument. A package that fails without a failing test of
// its own (it does not build, it exits) counts as one failed test. To the file named
// by its second argument it appends a line "seconds package" for each package.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// event is what test2json writes; see `go doc test2json`.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // in seconds
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go test -json … | count COUNTS TIMES")
		os.Exit(2)
	}
	if err := count(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
}

func count(counts, times string) error {
	tally := map[string]int{}
	var took strings.Builder
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
		if e.Test == "" && (e.Action == "pass" || e.Action == "fail") {
			fmt.Fprintf(&took, "%.1f %s\n", e.Elapsed, e.Package)
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
	return errors.Join(
		add(counts, fmt.Sprintln(tally["pass"], tally["fail"], tally["skip"])),
		add(times, took.String()))
}

// add appends text to a file.
func add(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(text)
	return err
}
