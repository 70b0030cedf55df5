// Command ltc-dump shows, checks and runs programs as backends get them: MLIR
// text. It also reads the text form of our own IR, from files named *.ltcir.
//
// The environment variables of docs/environment.md are checked as lazy.Open does.
//
// Exit status: 0, 1 for an error in what was read or run, 2 for wrong usage.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"ltc/backends"
	"ltc/internal/diag"
	"ltc/internal/env"
	_ "ltc/lazy" // declares the other half of the environment variables
	"ltc/mlir"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// command is a sub-command.
type command struct {
	name, args, what string
	run              func(c *call) error
}

// commands is a function since help lists what it is part of.
func commands() []command {
	return []command{
		{"show", "FILE", "print a module as canonical text; of a .ltcir file, the module it lowers to", show},
		{"verify", "FILE…", "check modules: syntax, types and each op's rules", verifyFiles},
		{"check", "PATH…", "run test files in the format of StableHLO's own, and those in directories", check},
		{"run", "FILE", "run a function and print its results, or write them to a file", runModule},
		{"explain", "FILE…", "say in what programs differ: each after the first, and the nearest before it", explainPrograms},
		{"ops", "[OP…]", "list the ops: primitives, composites, functions; or all about some of them", listOps},
		{"op", "OP", "call an op by name on values, with its gradients if asked for", callOp},
		{"devices", "", "list the devices of each backend, or why it has none", listDevices},
		{"cache", "WHAT", "compiled objects on disk: ls, verify, clear, or why KEY was compiled", cacheCommand},
		{"help", "", "print this", help},
	}
}

// call is one run of a sub-command.
type call struct {
	command
	args   []string // without the command's name
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	flags  *flag.FlagSet // once parse has been called
}

// usageError is a mistake on the command line.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// run is the program: it returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stderr = messages{stderr} // errors quote texts, which may be anything
	if len(args) == 0 {
		overview(stderr)
		return 2
	}
	name := args[0]
	if name == "-h" || name == "-help" || name == "--help" {
		name = "help"
	}
	if err := env.Check(); err != nil && name != "help" {
		fmt.Fprintf(stderr, "ltc-dump: %v\n", err)
		return 2
	}
	for _, v := range env.Unknown() {
		meant := ""
		if v.Nearest != "" {
			meant = "; did you mean " + v.Nearest + "?"
		}
		fmt.Fprintf(stderr, "ltc-dump: environment variable %s has no effect%s\n", v.Name, meant)
	}
	for _, cmd := range commands() {
		if cmd.name == name {
			return status(&call{command: cmd, args: args[1:], stdin: stdin, stdout: stdout, stderr: stderr})
		}
	}
	fmt.Fprintf(stderr, "ltc-dump: unknown command %q\n", name)
	overview(stderr)
	return 2
}

// status runs the command and reports its error.
func status(c *call) int {
	out := &sink{w: c.stdout}
	c.stdout = out
	err := c.run(c)
	if lost := out.close(); lost != nil && (err == nil || errors.Is(err, flag.ErrHelp)) {
		err = lost
	}
	var usage *usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(c.stderr, "ltc-dump %s: %s\n", c.name, usage.msg)
		c.usage(c.stderr)
		return 2
	case errors.Is(err, errFailed):
	case positional(err):
		fmt.Fprintln(c.stderr, err)
	default:
		fmt.Fprintf(c.stderr, "ltc-dump %s: %v\n", c.name, err)
	}
	return 1
}

// positional reports whether err says itself which place of which file it is
// about.
func positional(err error) bool {
	var one *mlir.Error
	var other *diag.Error
	return errors.As(err, &one) || errors.As(err, &other)
}

func overview(w io.Writer) {
	fmt.Fprint(w, "usage: ltc-dump COMMAND …\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-15s %s\n", strings.TrimSpace(c.name+" "+c.args), c.what)
	}
	fmt.Fprintf(w, "\nltc-dump COMMAND -h tells its flags. FILE - is standard input.\nBackends: %s.\n", strings.Join(backends.Names(), ", "))
}

func help(c *call) error {
	overview(c.stdout)
	return nil
}

func (c *call) usage(w io.Writer) {
	some := ""
	c.flags.VisitAll(func(*flag.Flag) { some = " [flags]" })
	fmt.Fprintf(w, "usage: ltc-dump %s%s\n", strings.TrimSpace(c.name+" "+c.command.args), some)
	c.flags.SetOutput(w)
	c.flags.PrintDefaults()
}

// parse parses the flags, which may stand before, between and after the other
// arguments, and returns those.
func (c *call) parse(fs *flag.FlagSet) ([]string, error) {
	c.flags = fs
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	rest := []string{}
	for args := c.args; ; {
		switch err := fs.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			c.usage(c.stdout)
			return nil, err
		case err != nil:
			return nil, usagef("%v", err)
		}
		left := fs.Args()
		if len(left) == 0 {
			return rest, nil
		}
		if n := len(args) - len(left); n > 0 && args[n-1] == "--" {
			return append(rest, left...), nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}
