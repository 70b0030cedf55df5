// Package ptxas keeps the PTX that tests emit, for NVIDIA's assembler to look at when they
// are done, which make ptxas has it do. A file for each module goes to the directory that
// the variable PTXAS_DIR names; without it nothing is kept. Its central function is [Keep].
//
// The package imports only ltc/internal/diag and the standard library.
package ptxas

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Variable names the directory that modules are kept in.
const Variable = "PTXAS_DIR"

// Of a directory: modules by the hash of their text, and names, each a file with a
// hash.
const (
	moduleExt = ".ptx"
	nameExt   = ".name"
	separator = "/" // of names
	inFiles   = "@" // instead of it
)

// Keep keeps a module, once.
func Keep(module string) error {
	_, err := keep(module)
	return err
}

// Name keeps a module under a name, which may have slashes: what the assembler
// says about it has a row in a golden table.
func Name(name, module string) error {
	hash, err := keep(module)
	if hash == "" {
		return err
	}
	return os.WriteFile(filepath.Join(os.Getenv(Variable), strings.ReplaceAll(name, separator, inFiles)+nameExt), []byte(hash), 0o666)
}

// keep returns the hash of a module that is kept.
func keep(module string) (string, error) {
	dir := os.Getenv(Variable)
	if dir == "" {
		return "", nil
	}
	sum := sha256.Sum256([]byte(module))
	hash := hex.EncodeToString(sum[:8])
	file := filepath.Join(dir, hash+moduleExt)
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return hash, err
	}
	return hash, os.WriteFile(file, []byte(module), 0o666)
}

// Module is one that was kept.
type Module struct {
	Hash, Text string
	Names      []string
}

// Kept returns what is in a directory, by hash.
func Kept(dir string) ([]Module, error) {
	names := map[string][]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*"+nameExt))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		hash, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		name := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(f), nameExt), inFiles, separator)
		names[string(hash)] = append(names[string(hash)], name)
	}
	files, err = filepath.Glob(filepath.Join(dir, "*"+moduleExt))
	if err != nil {
		return nil, err
	}
	var all []Module
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		hash := strings.TrimSuffix(filepath.Base(f), moduleExt)
		all = append(all, Module{hash, string(text), names[hash]})
	}
	return all, nil
}
