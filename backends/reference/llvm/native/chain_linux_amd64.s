#include "textflag.h"
#include "go_asm.h"

DATA ·chainEntry(SB)/8, $·chain(SB)
GLOBL ·chainEntry(SB), RODATA, $8

// func chain()
//
// A function of the C calling convention of System V: DI is the *Chain, AX the result. BX, R12
// and R13 are the caller's. Three of them and the return address leave SP at a multiple of 16.
TEXT ·chain(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ BX
	PUSHQ R12
	PUSHQ R13
	MOVQ  DI, R12
	MOVQ  Chain_At(R12), BX
	MOVQ  Chain_budget(R12), R13

call:
	MOVQ  Link_args(BX), DI
	MOVQ  Link_entry(BX), AX
	CALL  AX
	TESTL AX, AX
	JNE   return
	MOVQ  Link_test(BX), CX
	TESTQ CX, CX
	JEQ   next
	CMPB  (CX), $0
	JEQ   ended

next:
	MOVQ  Link_next(BX), CX
	TESTQ CX, CX
	JEQ   ended
	SUBQ  Link_cost(BX), R13
	MOVQ  CX, BX
	JGT   call
	JMP   return

ended:
	MOVL $1, Chain_ended(R12)

return:
	MOVQ BX, Chain_At(R12)
	POPQ R13
	POPQ R12
	POPQ BX
	RET
