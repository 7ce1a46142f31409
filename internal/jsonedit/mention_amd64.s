//go:build !purego

#include "textflag.h"

// func pair(p *byte, n, gap int, first, last uint64) int
//
// Each turn takes 32 places: AX has a bit for each at which both bytes are.
TEXT ·pair(SB), NOSPLIT, $0-48
	MOVQ       p+0(FP), SI
	MOVQ       n+8(FP), CX
	MOVQ       gap+16(FP), R8
	ADDQ       SI, R8
	MOVQ       first+24(FP), X0
	PUNPCKLQDQ X0, X0
	MOVQ       last+32(FP), X1
	PUNPCKLQDQ X1, X1
	XORQ       DI, DI

turn:
	CMPQ     DI, CX
	JGE      end
	MOVOU    (SI)(DI*1), X2
	MOVOU    16(SI)(DI*1), X4
	MOVOU    (R8)(DI*1), X3
	MOVOU    16(R8)(DI*1), X5
	PCMPEQB  X0, X2
	PCMPEQB  X0, X4
	PCMPEQB  X1, X3
	PCMPEQB  X1, X5
	PAND     X3, X2
	PAND     X5, X4
	PMOVMSKB X2, AX
	PMOVMSKB X4, BX
	SHLQ     $16, BX
	ORQ      BX, AX
	JNZ      found
	ADDQ     $32, DI
	JMP      turn

found:
	BSFQ AX, AX
	ADDQ AX, DI

end:
	MOVQ DI, ret+40(FP)
	RET
