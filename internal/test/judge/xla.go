package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// rejected is the script's exit status for a module that is not valid.
const rejected = 1

// answer is what judge.py says about a job.
type answer struct {
	Status int    `json:"status"` // run_with_xla.py's exit status; -1 if the process died
	Output string `json:"output"`
}

// xla is a process of judge.py, started when first asked and again after it
// died.
type xla struct {
	command func() *exec.Cmd
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	stderr  *strings.Builder
}

// run gives the process a job: the arguments of run_with_xla.py.
func (x *xla) run(file string, flags ...string) answer {
	if x.cmd == nil {
		if err := x.start(); err != nil {
			return answer{-1, err.Error()}
		}
	}
	line, err := json.Marshal(append([]string{file}, flags...))
	if err == nil {
		_, err = x.in.Write(append(line, '\n'))
	}
	for err == nil && x.out.Scan() {
		if text, ok := strings.CutPrefix(x.out.Text(), "@@"); ok {
			var a answer
			if err = json.Unmarshal([]byte(text), &a); err == nil {
				return a
			}
		}
	}
	if err == nil {
		err = x.out.Err()
	}
	x.close()
	return answer{-1, fmt.Sprintf("the process ended: %v\n%s", err, x.stderr)}
}

func (x *xla) start() error {
	cmd := x.command()
	x.stderr = &strings.Builder{}
	cmd.Stderr = x.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	x.cmd, x.in, x.out = cmd, in, bufio.NewScanner(out)
	x.out.Buffer(nil, 64<<20)
	return nil
}

// close ends the process.
func (x *xla) close() {
	if x.cmd == nil {
		return
	}
	x.in.Close()
	for x.out.Scan() { // lets the process write what it still has to say
	}
	_ = x.cmd.Wait() // how it ended shows in its answers
	x.cmd = nil
}
