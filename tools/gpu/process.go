package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// again is how often a group is run anew without a test that has taken the rest of it
// with it.
const again = 3

// group runs the tests of a group in a process, and again without one that hangs or
// loses the GPU.
func (o *options) group(ctx context.Context, g group) *result {
	all := &result{tests: g.tests, results: map[string]string{}}
	var skip []string
	if o.skipped != "" {
		skip = append(skip, o.skipped)
	}
	start := time.Now()
	for n := 0; n <= again && ctx.Err() == nil; n++ {
		one := o.process(ctx, g, skip, n)
		all.add(one)
		culprit := one.culprit()
		if culprit == "" || one.state == passed || one.state == failed {
			break
		}
		skip = append(skip, exactly(culprit))
		if !strings.Contains(culprit, "/") && !strings.Contains(g.tests, "|") {
			break // nothing would be left
		}
	}
	all.took = time.Since(start)
	return all
}

// exactly is the pattern that -test.skip takes for one test.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// process runs a group once. Its output is kept in a file.
func (o *options) process(ctx context.Context, g group, skip []string, n int) *result {
	args := []string{"-test.v", "-test.count=1", "-test.timeout=0", "-test.run", "^(" + g.tests + ")$"}
	if len(skip) > 0 {
		args = append(args, "-test.skip", strings.Join(skip, "|"))
	}
	if o.sim {
		args = append(args, "-test.short")
	}
	c := exec.Command(o.binary, args...)
	c.Env, c.Dir = append(o.env(), "GOTRACEBACK=all"), o.in
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	waits, err := supervised(ctx, c, time.Duration(g.times)*o.limit)
	name := fmt.Sprintf("%s.%d.log", regexp.MustCompile(`\W+`).ReplaceAllString(g.tests, "-"), n)
	log := append(bytes.Clone(out.Bytes()), waits...)
	if err := os.WriteFile(filepath.Join(o.logs, name), log, 0o666); err != nil {
		fmt.Fprintln(os.Stderr, "gpu:", err)
	}
	r := read(out.String())
	switch {
	case errors.Is(err, errLimit):
		r.state = hung
		r.waits = where(waits, out.String())
	case strings.Contains(out.String(), lostText):
		r.state = lost
	case err != nil && r.ended:
		r.state = failed
	case err != nil:
		r.state = died
		r.waits = where("", out.String())
	}
	return r
}

// lostText is what [driver.LostError] says, whose name that of the package's test is.
const lostText = "was lost before, and with it all of its memory"

var errLimit = errors.New("it did not end in time")

// grace is how long a process may take to tell what it waits for, and a debugger.
const (
	grace    = 10 * time.Second
	debugger = 40 * time.Second
)

// supervised runs a process for at most so long. Of one that has not ended by then it
// returns what a debugger says, if there is one; Go's own word is in its output.
func supervised(ctx context.Context, c *exec.Cmd, limit time.Duration) (string, error) {
	if err := c.Start(); err != nil {
		return "", err
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-done:
		return "", err
	case <-ctx.Done():
	case <-timer.C:
	}
	said := ""
	if ctx.Err() == nil {
		said = debug(ctx, c.Process.Pid)
	}
	_ = c.Process.Signal(syscall.SIGQUIT)
	select {
	case <-done:
	case <-time.After(grace):
		_ = c.Process.Kill()
		select {
		case <-done:
		case <-time.After(grace): // the driver may keep it
		}
	}
	return said, errLimit
}

// debug asks cuda-gdb which kernels run in a process, and where.
func debug(ctx context.Context, pid int) string {
	gdb, err := exec.LookPath("cuda-gdb")
	if err != nil {
		return ""
	}
	ctx, stop := context.WithTimeout(ctx, debugger)
	defer stop()
	args := []string{"-batch", "-nx", "-p", strconv.Itoa(pid)}
	for _, ask := range []string{"info cuda kernels", "info cuda warps", "info cuda lanes", "x/6i $pc"} {
		args = append(args, "-ex", ask)
	}
	c := exec.CommandContext(ctx, gdb, args...)
	c.WaitDelay = time.Second
	out, _ := c.CombinedOutput() // of what it cannot do it says so
	return string(out)
}
