package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"

	"ltc/bench/measure"
	environment "ltc/internal/env"
)

// processes is how often a workload is measured of which a process has only one
// sample.
const processes = 5

// inProcesses measures w in a process of its own, or in several. Each has an
// empty cache of compiled objects, unless w says that another process has been
// there before.
func (e *env) inProcesses(w workload, profile string) result {
	n := 1
	if w.first && !e.quick {
		n = processes
	}
	var rs []result
	for range n {
		r, err := e.inDirectory(w, profile)
		if err != nil {
			return e.label(w, result{Error: err.Error()})
		}
		rs = append(rs, r)
	}
	if n == 1 {
		return rs[0]
	}
	return medianOf(rs)
}

// inDirectory measures w with a new directory for compiled objects.
func (e *env) inDirectory(w workload, profile string) (result, error) {
	dir, err := os.MkdirTemp("", "ltc-bench-")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(dir)
	if w.cached {
		if _, err := e.child(w, dir, ""); err != nil {
			return result{}, err
		}
	}
	return e.child(w, dir, profile)
}

// child measures w in a process of its own and returns what it prints.
func (e *env) child(w workload, cache, profile string) (result, error) {
	exe, err := os.Executable()
	if err != nil {
		return result{}, err
	}
	c := exec.Command(exe, "-one", w.name, "-backend", e.backend, "-threads", strconv.Itoa(e.threads), "-cpuprofile", profile, "-profile="+strconv.FormatBool(e.profile), "-small="+strconv.FormatBool(e.small), "-run", "^"+w.name+"$", "-cpu="+strconv.FormatBool(e.cpu), "-programs", e.folder)
	c.Env = append(os.Environ(), "LTC_CACHE_DIR="+cache)
	var complaint bytes.Buffer
	c.Stderr = &complaint
	line, err := c.Output()
	if err != nil {
		if said := strings.TrimSpace(complaint.String()); said != "" {
			return result{}, fmt.Errorf("%s", strings.TrimPrefix(said, "bench: "+w.name+": "))
		}
		return result{}, err
	}
	os.Stderr.Write(complaint.Bytes()) // what is logged
	var r result
	return r, json.Unmarshal(line, &r)
}

// one measures a workload in this process and prints the result.
func (e *env) one(all []workload, name, profile string) error {
	w, err := named(all, name)
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(e.threads)
	if !w.first && !strings.HasPrefix(w.name, exportedPrefix) { // which wait for the compiled code
		os.Setenv(environment.Tiers.Name, "0")
	}
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	r, err := w.measure(e)
	if err != nil {
		return err
	}
	r.Profile = e.profiled
	if e.profile && e.last != nil {
		r.Profile = e.last.Profile()
	}
	if r.Runs, err = e.runs(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(e.label(w, r))
}

// runs is what the backend tells of its device.
func (e *env) runs() (string, error) {
	dev, err := e.open()
	if err != nil {
		return "", err
	}
	var of []string
	for name, value := range dev.Devices()[0].Properties {
		of = append(of, name+"="+value)
	}
	slices.Sort(of)
	return strings.Join(of, ", "), nil
}

// label says in r what it is of.
func (e *env) label(w workload, r result) result {
	r.Peer, r.W, r.Backend, r.Threads, r.Load1 = "ltc", w.name, e.backend, e.threads, measure.Load1()
	return r
}

// machine is what the machine can do at most; 0 is unknown.
type machine struct{ f32, bf16, copied, read float64 } // GFLOP/s and GB/s

// learn takes a peak from its result.
func (m *machine) learn(r result) {
	switch r.W {
	case "peak_fma_f32":
		m.f32 = r.GFlops
	case "peak_fma_bf16":
		m.bf16 = r.GFlops
	case "peak_copy", "peak_device_copy":
		m.copied = r.GBps
	case "peak_read":
		m.read = r.GBps
	}
}

// rate sets the share of the peak that r has reached. Elementwise programs of
// 64K elements stay in the caches, whose peak is not known.
func (m machine) rate(r *result) {
	peak := m.f32
	if strings.HasPrefix(r.W, "bf16") {
		peak = m.bf16
	}
	if strings.HasPrefix(r.W, "peak_") || strings.HasSuffix(r.W, "_64K") {
		return
	}
	memory := m.copied
	if least := (measure.Memory{Copied: m.copied, Read: m.read}).Least(r.Bytes-r.Written, r.Written); least > 0 {
		memory = r.Bytes / least
	}
	for _, f := range []struct{ got, peak float64 }{{r.GFlops, peak}, {r.GBps, memory}} {
		if f.peak > 0 {
			r.Share = max(r.Share, f.got/f.peak)
		}
	}
}
