//go:build !purego

#include "textflag.h"

// What a byte is good for after a backslash, one bit a class. A byte has the
// bits that its low half has in lowHalf and its high half has in highHalf.
//
//	0x01  digits               0x3-  0…9
//	0x02  A…F a…f        0x4- 0x6-  1…6
//	0x04  u                    0x7-  5
//	0x08  " and /              0x2-  2 f
//	0x10  \                    0x5-  c
//	0x20  b f n                0x6-  2 6 e
//	0x40  r t                  0x7-  2 4
//
// The classes of what is a whole escape are above all others, so that one
// comparison finds them. Bytes from 0x80 on have none.
DATA lowHalf<>+0(SB)/8, $0x01230743036b0301
DATA lowHalf<>+8(SB)/8, $0x0820001000000101
GLOBL lowHalf<>(SB), RODATA|NOPTR, $16
DATA highHalf<>+0(SB)/8, $0x4422100201080000
DATA highHalf<>+8(SB)/8, $0x0000000000000000
GLOBL highHalf<>(SB), RODATA|NOPTR, $16

DATA bytes02<>+0(SB)/8, $0x0202020202020202
GLOBL bytes02<>(SB), RODATA|NOPTR, $8
DATA bytes07<>+0(SB)/8, $0x0707070707070707
GLOBL bytes07<>(SB), RODATA|NOPTR, $8
DATA bytes0f<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL bytes0f<>(SB), RODATA|NOPTR, $8
DATA bytes20<>+0(SB)/8, $0x2020202020202020
GLOBL bytes20<>(SB), RODATA|NOPTR, $8
DATA bytes5c<>+0(SB)/8, $0x5c5c5c5c5c5c5c5c
GLOBL bytes5c<>(SB), RODATA|NOPTR, $8

// PLANE gathers the high bits of the 64 bytes in lo and hi: bit k of out is of
// byte k. It uses BX.
#define PLANE(lo, hi, out) \
	VPMOVMSKB lo, out \
	VPMOVMSKB hi, BX  \
	SHLQ      $32, BX \
	ORQ       BX, out

// func blocksAVX2(p *byte, n int) (at int, stop bool)
//
// Each turn takes 64 bytes, in Y7 and Y8, and makes bit planes of them: AX has
// the quotes and control characters, then all bytes to stop at; DX and R10 the
// backslashes; R12 the escaped bytes. DI counts the bytes before the block. R8
// is 1 when the first byte of the block is escaped, else 0.
TEXT ·blocksAVX2(SB), NOSPLIT, $0-25
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	SUBQ $64, CX               // the last place where a block may begin
	XORQ DI, DI
	XORQ R8, R8
	MOVQ $0xaaaaaaaaaaaaaaaa, R9
	VPBROADCASTQ bytes02<>(SB), Y0
	VPBROADCASTQ bytes20<>(SB), Y1
	VPBROADCASTQ bytes5c<>(SB), Y2
	VPBROADCASTQ bytes0f<>(SB), Y3
	VBROADCASTI128 lowHalf<>(SB), Y4
	VBROADCASTI128 highHalf<>(SB), Y5
	VPBROADCASTQ bytes07<>(SB), Y6

block:
	CMPQ DI, CX
	JGT  end
	VMOVDQU (SI)(DI*1), Y7
	VMOVDQU 32(SI)(DI*1), Y8

	// Flipping bit 1 swaps the quote, 0x22, with the blank, 0x20: quotes and
	// control characters are then the bytes up to 0x20.
	VPXOR    Y0, Y7, Y9
	VPXOR    Y0, Y8, Y10
	VPMINUB  Y1, Y9, Y11
	VPMINUB  Y1, Y10, Y12
	VPCMPEQB Y9, Y11, Y11
	VPCMPEQB Y10, Y12, Y12
	PLANE(Y11, Y12, AX)

	VPCMPEQB Y2, Y7, Y9
	VPCMPEQB Y2, Y8, Y10
	PLANE(Y9, Y10, DX)

	MOVQ  DX, R10
	ORQ   R8, R10
	JNZ   escapes
	TESTQ AX, AX
	JNZ   found
	ADDQ  $64, DI
	JMP   block

escapes:
	// In a run of backslashes every other one escapes the byte after it,
	// beginning with the first. Adding to the backslashes those odd places
	// that do not follow one clears a run that begins at an odd place and
	// sets the byte after it, by the carry; a run that begins at an even
	// place stays. Flipping the odd places then leaves of each run the
	// backslashes that escape, and the byte after it if that is escaped.
	NOTQ R8
	MOVQ DX, R11
	ANDQ R8, R11               // a backslash that is escaped begins no run
	LEAQ (R11)(R11*1), R12
	NOTQ R12
	ANDQ R9, R12
	ADDQ R11, R12
	XORQ R9, R12
	MOVQ R12, R8
	ANDQ DX, R8
	SHRQ $63, R8               // the last byte escapes the next block's first
	XORQ R10, R12

	VPSRLW   $4, Y7, Y9
	VPSRLW   $4, Y8, Y10
	VPAND    Y3, Y9, Y9
	VPAND    Y3, Y10, Y10
	VPSHUFB  Y9, Y5, Y9
	VPSHUFB  Y10, Y5, Y10
	VPSHUFB  Y7, Y4, Y7
	VPSHUFB  Y8, Y4, Y8
	VPAND    Y9, Y7, Y7        // the classes
	VPAND    Y10, Y8, Y8
	VPCMPGTB Y6, Y7, Y9
	VPCMPGTB Y6, Y8, Y10
	PLANE(Y9, Y10, R13)

	NOTQ R13
	ANDQ R12, R13              // escaped, and not a whole escape
	NOTQ R12
	ANDQ R12, AX               // quotes and control characters not escaped
	TESTQ R13, R13
	JNZ  unicode
	TESTQ AX, AX
	JNZ  found
	ADDQ $64, DI
	JMP  block

unicode:
	// Not to stop at is a u with four hexadecimal digits after it within the
	// block.
	VPSLLW $7, Y7, Y9          // digits to the high bit
	VPSLLW $7, Y8, Y10
	VPSLLW $6, Y7, Y11         // letters
	VPSLLW $6, Y8, Y12
	VPOR   Y9, Y11, Y9
	VPOR   Y10, Y12, Y10
	PLANE(Y9, Y10, R10)
	VPSLLW $5, Y7, Y7          // u
	VPSLLW $5, Y8, Y8
	PLANE(Y7, Y8, R11)
	MOVQ   R10, R12
	SHRQ   $1, R12
	ANDQ   R10, R12            // a digit with another after it
	MOVQ   R12, R10
	SHRQ   $2, R10
	ANDQ   R12, R10            // with three after it
	SHRQ   $1, R10
	ANDQ   R10, R11
	NOTQ   R11
	ANDQ   R11, R13
	ORQ    R13, AX
	JNZ    found
	ADDQ   $64, DI
	JMP    block

found:
	BSFQ AX, AX
	ADDQ DI, AX
	VZEROUPPER
	MOVQ AX, at+16(FP)
	MOVB $1, stop+24(FP)
	RET

end:
	SUBQ R8, DI                // back to a backslash whose escape is to come
	VZEROUPPER
	MOVQ DI, at+16(FP)
	MOVB $0, stop+24(FP)
	RET
