#include "textflag.h"

// Loops of 12 independent chains of fused multiply-adds: more than the latency
// of one times the number of units. All operands are zero.

#define CHAINS512 \
	VFMADD231PS Z24, Z25, Z0  \
	VFMADD231PS Z24, Z25, Z1  \
	VFMADD231PS Z24, Z25, Z2  \
	VFMADD231PS Z24, Z25, Z3  \
	VFMADD231PS Z24, Z25, Z4  \
	VFMADD231PS Z24, Z25, Z5  \
	VFMADD231PS Z24, Z25, Z6  \
	VFMADD231PS Z24, Z25, Z7  \
	VFMADD231PS Z24, Z25, Z8  \
	VFMADD231PS Z24, Z25, Z9  \
	VFMADD231PS Z24, Z25, Z10 \
	VFMADD231PS Z24, Z25, Z11

#define CHAINS256 \
	VFMADD231PS Y14, Y15, Y0  \
	VFMADD231PS Y14, Y15, Y1  \
	VFMADD231PS Y14, Y15, Y2  \
	VFMADD231PS Y14, Y15, Y3  \
	VFMADD231PS Y14, Y15, Y4  \
	VFMADD231PS Y14, Y15, Y5  \
	VFMADD231PS Y14, Y15, Y6  \
	VFMADD231PS Y14, Y15, Y7  \
	VFMADD231PS Y14, Y15, Y8  \
	VFMADD231PS Y14, Y15, Y9  \
	VFMADD231PS Y14, Y15, Y10 \
	VFMADD231PS Y14, Y15, Y11

// vdpbf16ps of zmm24 and zmm25 into zmm0 to zmm7, and into zmm8 to zmm11: the
// assembler lacks it.
#define DOT(reg)     BYTE $0x62; BYTE $0x92; BYTE $0x3e; BYTE $0x40; BYTE $0x52; BYTE $(0xc1+8*reg)
#define DOTHIGH(reg) BYTE $0x62; BYTE $0x12; BYTE $0x3e; BYTE $0x40; BYTE $0x52; BYTE $(0xc1+8*reg)

// func fma512(n int)
TEXT ·fma512(SB), NOSPLIT, $0-8
	MOVQ   n+0(FP), CX
	VPXORQ Z24, Z24, Z24
	VPXORQ Z25, Z25, Z25

loop:
	CHAINS512
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET

// func fma256(n int)
TEXT ·fma256(SB), NOSPLIT, $0-8
	MOVQ  n+0(FP), CX
	VPXOR Y14, Y14, Y14
	VPXOR Y15, Y15, Y15

loop:
	CHAINS256
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET

// func dotBF16(n int)
TEXT ·dotBF16(SB), NOSPLIT, $0-8
	MOVQ   n+0(FP), CX
	VPXORQ Z24, Z24, Z24
	VPXORQ Z25, Z25, Z25

loop:
	DOT(0)
	DOT(1)
	DOT(2)
	DOT(3)
	DOT(4)
	DOT(5)
	DOT(6)
	DOT(7)
	DOTHIGH(0)
	DOTHIGH(1)
	DOTHIGH(2)
	DOTHIGH(3)
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET

// func stream(to, from *byte, n int)
TEXT ·stream(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	VMOVDQU  (SI), Y0
	VMOVDQU  32(SI), Y1
	VMOVDQU  64(SI), Y2
	VMOVDQU  96(SI), Y3
	VMOVNTDQ Y0, (DI)
	VMOVNTDQ Y1, 32(DI)
	VMOVNTDQ Y2, 64(DI)
	VMOVNTDQ Y3, 96(DI)
	ADDQ     $128, SI
	ADDQ     $128, DI
	SUBQ     $128, CX
	JNZ      loop
	SFENCE
	VZEROUPPER
	RET

// Loops that add up the 32-bit words of memory: 256 bytes of each stream in a round. The
// streams are the halves or quarters of the memory.

#define ADD512(p) \
	VPADDD (p), Z0, Z0    \
	VPADDD 64(p), Z1, Z1  \
	VPADDD 128(p), Z2, Z2 \
	VPADDD 192(p), Z3, Z3 \
	ADDQ   $256, p

#define ADD256(p) \
	VPADDD (p), Y0, Y0    \
	VPADDD 32(p), Y1, Y1  \
	VPADDD 64(p), Y2, Y2  \
	VPADDD 96(p), Y3, Y3  \
	VPADDD 128(p), Y0, Y0 \
	VPADDD 160(p), Y1, Y1 \
	VPADDD 192(p), Y2, Y2 \
	VPADDD 224(p), Y3, Y3 \
	ADDQ   $256, p

#define BEGIN(shift) \
	SHRQ  $shift, CX     \
	VPXOR X0, X0, X0     \
	VPXOR X1, X1, X1     \
	VPXOR X2, X2, X2     \
	VPXOR X3, X3, X3     \
	LEAQ  (SI)(CX*1), DI \
	LEAQ  (DI)(CX*1), R8 \
	LEAQ  (R8)(CX*1), R9

#define LANES512 \
	VPADDD        Z1, Z0, Z0     \
	VPADDD        Z3, Z2, Z2     \
	VPADDD        Z2, Z0, Z0     \
	VEXTRACTI64X4 $1, Z0, Y1     \
	VPADDD        Y1, Y0, Y0

#define LANES256 \
	VPADDD Y1, Y0, Y0 \
	VPADDD Y3, Y2, Y2 \
	VPADDD Y2, Y0, Y0

#define TOTAL \
	VEXTRACTI128 $1, Y0, X1    \
	VPADDD       X1, X0, X0    \
	VPSHUFD      $0x4e, X0, X1 \
	VPADDD       X1, X0, X0    \
	VPSHUFD      $0xb1, X0, X1 \
	VPADDD       X1, X0, X0

// func read512x1(p *byte, n int) uint32
TEXT ·read512x1(SB), NOSPLIT, $0-20
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	BEGIN(0)

loop:
	ADD512(SI)
	SUBQ $256, CX
	JNZ  loop
	LANES512
	TOTAL
	VMOVD X0, AX
	MOVL  AX, ret+16(FP)
	VZEROUPPER
	RET

// func read512x2(p *byte, n int) uint32
TEXT ·read512x2(SB), NOSPLIT, $0-20
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	BEGIN(1)

loop:
	ADD512(SI)
	ADD512(DI)
	SUBQ $256, CX
	JNZ  loop
	LANES512
	TOTAL
	VMOVD X0, AX
	MOVL  AX, ret+16(FP)
	VZEROUPPER
	RET

// func read512x4(p *byte, n int) uint32
TEXT ·read512x4(SB), NOSPLIT, $0-20
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	BEGIN(2)

loop:
	ADD512(SI)
	ADD512(DI)
	ADD512(R8)
	ADD512(R9)
	SUBQ $256, CX
	JNZ  loop
	LANES512
	TOTAL
	VMOVD X0, AX
	MOVL  AX, ret+16(FP)
	VZEROUPPER
	RET

// func read256x1(p *byte, n int) uint32
TEXT ·read256x1(SB), NOSPLIT, $0-20
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	BEGIN(0)

loop:
	ADD256(SI)
	SUBQ $256, CX
	JNZ  loop
	LANES256
	TOTAL
	VMOVD X0, AX
	MOVL  AX, ret+16(FP)
	VZEROUPPER
	RET

// func read256x2(p *byte, n int) uint32
TEXT ·read256x2(SB), NOSPLIT, $0-20
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	BEGIN(1)

loop:
	ADD256(SI)
	ADD256(DI)
	SUBQ $256, CX
	JNZ  loop
	LANES256
	TOTAL
	VMOVD X0, AX
	MOVL  AX, ret+16(FP)
	VZEROUPPER
	RET

// func read256x4(p *byte, n int) uint32
TEXT ·read256x4(SB), NOSPLIT, $0-20
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	BEGIN(2)

loop:
	ADD256(SI)
	ADD256(DI)
	ADD256(R8)
	ADD256(R9)
	SUBQ $256, CX
	JNZ  loop
	LANES256
	TOTAL
	VMOVD X0, AX
	MOVL  AX, ret+16(FP)
	VZEROUPPER
	RET
