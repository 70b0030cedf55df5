#include "textflag.h"
#include "go_asm.h"

DATA ·chainEntry(SB)/8, $·chain(SB)
GLOBL ·chainEntry(SB), RODATA, $8

// func chain()
//
// A function of the C calling convention: R0 is the *Chain and then the result. R19 to R21, the
// frame pointer R29 and the link register R30 are the caller's.
TEXT ·chain(SB), NOSPLIT|NOFRAME, $0-0
	STP.W (R29, R30), -48(RSP)
	STP   (R19, R20), 16(RSP)
	MOVD  R21, 32(RSP)
	MOVD  RSP, R29
	MOVD  R0, R19
	MOVD  Chain_At(R19), R20
	MOVD  Chain_budget(R19), R21

call:
	MOVD  Link_args(R20), R0
	MOVD  Link_entry(R20), R1
	CALL  (R1)
	CBNZW R0, return
	MOVD  Link_test(R20), R1
	CBZ   R1, next
	MOVBU (R1), R1
	CBZ   R1, ended

next:
	MOVD Link_next(R20), R1
	CBZ  R1, ended
	MOVD Link_cost(R20), R2
	SUBS R2, R21
	MOVD R1, R20
	BGT  call
	B    return

ended:
	MOVD $1, R1
	MOVW R1, Chain_ended(R19)

return:
	MOVD  R20, Chain_At(R19)
	MOVD  32(RSP), R21
	LDP   16(RSP), (R19, R20)
	LDP.P 48(RSP), (R29, R30)
	RET
