#include "textflag.h"

// func frames(pcs *[12]uintptr, most int) int
//
// See frames_amd64.s; on arm64 the frame pointer is R29 and the return address
// lies above the saved one.
TEXT ·frames(SB), NOSPLIT|NOFRAME, $0-24
	MOVD pcs+0(FP), R0
	MOVD most+8(FP), R6
	MOVD 8(g), R2
	SUB  $16, R2, R2
	MOVD RSP, R7
	MOVD $0, R1
	MOVD R29, R3
loop:
	CMP  R6, R1
	BGE  done
	CMP  R7, R3
	BLO  done
	CMP  R2, R3
	BHI  done
	MOVD 8(R3), R4
	MOVD R4, (R0)(R1<<3)
	ADD  $1, R1, R1
	MOVD (R3), R5
	CMP  R3, R5
	BLS  done
	MOVD R5, R3
	B    loop
done:
	MOVD R1, ret+16(FP)
	RET
