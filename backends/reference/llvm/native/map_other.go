//go:build !(linux && (amd64 || arm64))

package native

import "debug/elf"

const hostMachine = elf.EM_NONE

var pageSize = 4096

func reserve(int) ([]byte, error)  { return nil, ErrUnavailable }
func makeWritable([]byte) error    { return ErrUnavailable }
func seal(code, rest []byte) error { return ErrUnavailable }
func empty([]byte) error           { return nil }
func release([]byte) error         { return nil }
