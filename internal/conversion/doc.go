// Package conversion makes a session of one dialect a session of another: the same
// tree with the same ids, its entries spelled as the other program spells them.
//
// What the other program reads as it stands is left alone, byte for byte, and so
// is what no program here knows. What has to be spelled anew remembers how it was:
//
//	"cambium":{"converted":{"from":"pi","was":[{"path":["provider"],"value":"x"},{"path":["model"]}]}}
//
// on the entry says that the member provider was "x" and that there was no
// member model. Path steps are names and, for elements, numbers. In place of
// value, "inline":true means that the blob that is referred to there stood in the
// line itself, and "cut":N that the text there was its first N UTF-16 units and
// the notice of the cut. "whole" in place of was is the whole entry.
//
// The last entry of a converted session is a custom entry of the type
// [Trailer], with what belongs to no single entry in its data: from, to, the
// header as its program had it (header, of the dialect agent, with the title slot
// as slot), runs (which dialect the entries up to the one with the id last were
// written by, one run after another), and the numbers of the report. A title that
// the target keeps in an entry, where the source had none, stands before it.
//
// Converting a converted session first takes every entry back to the spelling of
// the program that wrote it, and goes on from there; so a session that comes home
// has all lines as they were, and what was added abroad in its own spelling.
//
// Everything is pure: lines and blobs come in and go out through functions, ids
// and times are given.
package conversion
