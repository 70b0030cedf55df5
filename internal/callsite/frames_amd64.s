#include "textflag.h"

// func frames(pcs *[12]uintptr, most int) int
//
// Follows the chain of frame pointers, which Go keeps on amd64, within the
// goroutine's stack: g.stack.hi is the second word of g. The walk is assembly
// because the stack may not move while raw frame pointers are held, and
// goroutines are not preempted inside assembly.
TEXT ·frames(SB), NOSPLIT, $0-24
	MOVQ pcs+0(FP), DI
	MOVQ most+8(FP), CX
	MOVQ (TLS), R9
	MOVQ 8(R9), R10
	SUBQ $16, R10
	XORQ AX, AX
	MOVQ BP, BX
loop:
	CMPQ AX, CX
	JGE  done
	CMPQ BX, SP
	JLS  done
	CMPQ BX, R10
	JHI  done
	MOVQ 8(BX), DX
	MOVQ DX, (DI)(AX*8)
	INCQ AX
	MOVQ (BX), SI
	CMPQ SI, BX
	JLS  done
	MOVQ SI, BX
	JMP  loop
done:
	MOVQ AX, ret+16(FP)
	RET
