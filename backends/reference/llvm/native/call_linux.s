//go:build linux && (amd64 || arm64)

#include "textflag.h"

// func asmcgocall(fn uintptr, arg unsafe.Pointer) int32
TEXT ·asmcgocall(SB), NOSPLIT|NOFRAME, $0-20
	JMP runtime·asmcgocall(SB)
