package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"ltc/internal/diag"
	"ltc/ir"
	"ltc/lower"
	"ltc/mlir"
	"ltc/shapeinfer"
)

// irSuffix ends the names of files in the text form of our own IR.
const irSuffix = ".ltcir"

// The lines around the programs in a file that LTC_SAVE_TENSORS_FILE has named.
const (
	recordMark = "[ScheduleSyncTensorsGraph]"
	beginMark  = "## BEGIN_GRAPH"
	endMark    = "## END_GRAPH"
)

// numberUsage describes -n.
const numberUsage = "`number` of the program in a file that LTC_SAVE_TENSORS_FILE has named,\nwhere those of equal text count as one; 0: "

// source is a program as a file holds it.
type source struct {
	name, text string // the lines of text are those of the file
	isIR       bool
	at         string // the line that recorded it; "" in a file of one program
	times      int    // how often the file has it
}

// sources reads the programs of a file: one, or those of the steps recorded in
// it, each once. If n is not 0 it returns the n-th alone.
func (c *call) sources(file string, n int) ([]source, error) {
	name, text, err := c.program(file)
	if err != nil {
		return nil, err
	}
	all := []source{{name: name, text: text, isIR: filepath.Ext(file) == irSuffix}}
	if strings.HasPrefix(text, recordMark) {
		if all, err = records(name, text); err != nil {
			return nil, err
		}
	}
	switch {
	case n < 0 || n > len(all):
		return nil, fmt.Errorf("-n %d: %s holds %s", n, name, programs(len(all)))
	case n > 0:
		all = all[n-1 : n]
	}
	return all, nil
}

// one is sources for what takes a single program.
func (c *call) one(file string, n int) (source, error) {
	all, err := c.sources(file, n)
	if err != nil {
		return source{}, err
	}
	if len(all) > 1 {
		return source{}, fmt.Errorf("%s holds %s: name one with -n", all[0].name, programs(len(all)))
	}
	return all[0], nil
}

func programs(n int) string {
	if n == 1 {
		return "one program"
	}
	return diag.Count(n, "program")
}

// records cuts the text of a file of recorded steps into programs. Steps that
// ran the same text are one.
func records(name, text string) ([]source, error) {
	var all []source
	known := map[string]int{} // text to index in all
	at, line, begin := "", 0, 0
	var body strings.Builder
	previous := ""
	for s := range strings.Lines(text) {
		line++
		s = strings.TrimRight(s, "\r\n")
		switch {
		case begin == 0 && s == beginMark:
			begin = line
			body.Reset()
		case begin == 0:
			if previous == recordMark {
				at = strings.TrimSpace(s)
			}
		case s == endMark:
			t := strings.TrimRight(body.String(), "\n") + "\n"
			if i, again := known[t]; again {
				all[i].times++
			} else {
				known[t] = len(all)
				// The lines before it are empty, so that errors count as the file does.
				all = append(all, source{name: name, text: strings.Repeat("\n", begin) + t, isIR: strings.HasPrefix(t, "graph "), at: at, times: 1})
			}
			begin = 0
		default:
			body.WriteString(s + "\n")
		}
		previous = s
	}
	switch {
	case begin > 0:
		return nil, &mlir.Error{File: name, Pos: mlir.Pos{Line: begin, Col: 1}, Msg: "the program that starts here is cut off: no line " + endMark + " follows", Source: beginMark}
	case len(all) == 0:
		return nil, &mlir.Error{File: name, Pos: mlir.Pos{Line: 1, Col: 1}, Msg: "the record is cut off: no line " + beginMark + " follows", Source: recordMark}
	}
	return all, nil
}

// head introduces the i-th of n programs.
func (s *source) head(i, n int) string {
	h := fmt.Sprintf("program %d of %d: %s", i+1, n, s.at)
	if s.times > 1 {
		h += ", " + diag.Count(s.times, "time")
	}
	return h
}

// drawn reports whether the program is a drawing, which cannot be read back.
func (s *source) drawn() bool {
	return s.at != "" && strings.HasPrefix(strings.TrimLeft(s.text, "\n"), "digraph ")
}

// graph reads the text form of our own IR and verifies it.
func (s *source) graph() (*ir.Graph, error) {
	if t := strings.TrimSpace(s.text); !strings.HasPrefix(t, "graph") && (s.drawn() || strings.HasPrefix(t, "module") || strings.Contains(t, "func.func")) {
		return nil, fmt.Errorf("%s holds no text form of our IR: only that can be drawn, or shown with -ir (files *%s, and those that LTC_SAVE_TENSORS_FILE names with LTC_SAVE_TENSORS_FMT=text)", s.name, irSuffix)
	}
	g, err := ir.Parse(s.name, s.text)
	if err != nil {
		return nil, err
	}
	return g, g.Verify(shapeinfer.Infer)
}

// module returns the text of the MLIR module that the program is or lowers to.
func (s *source) module(ctx context.Context) (string, error) {
	switch {
	case s.drawn():
		return "", fmt.Errorf("%s holds drawings, which show -dot prints: LTC_SAVE_TENSORS_FMT=text or backend writes programs", s.name)
	case !s.isIR:
		return s.text, nil
	}
	g, err := s.graph()
	if err != nil {
		return "", err
	}
	return lower.TextContext(ctx, g, true)
}
