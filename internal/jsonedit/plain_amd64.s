//go:build !purego

#include "textflag.h"

// func unclear(p *byte, n int, quote, slash, blank uint64) int
//
// Each turn looks at 32 bytes: AX has a bit for each that is a quote, a backslash, or
// below a blank as a signed number, which control characters and those of UTF-8 are.
TEXT ·unclear(SB), NOSPLIT, $0-48
	MOVQ       p+0(FP), SI
	MOVQ       n+8(FP), CX
	MOVQ       quote+16(FP), X0
	PUNPCKLQDQ X0, X0
	MOVQ       slash+24(FP), X1
	PUNPCKLQDQ X1, X1
	MOVQ       blank+32(FP), X6
	PUNPCKLQDQ X6, X6
	XORQ       DI, DI

turn:
	CMPQ     DI, CX
	JGE      end
	MOVOU    (SI)(DI*1), X2
	MOVOU    16(SI)(DI*1), X3
	MOVO     X6, X4
	MOVO     X6, X5
	PCMPGTB  X2, X4
	PCMPGTB  X3, X5
	MOVO     X2, X7
	MOVO     X3, X8
	PCMPEQB  X0, X7
	PCMPEQB  X0, X8
	PCMPEQB  X1, X2
	PCMPEQB  X1, X3
	POR      X7, X4
	POR      X8, X5
	POR      X2, X4
	POR      X3, X5
	PMOVMSKB X4, AX
	PMOVMSKB X5, BX
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
