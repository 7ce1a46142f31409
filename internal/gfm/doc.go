// Package gfm takes apart the Markdown that models write: that of CommonMark with
// GitHub's tables, strikethrough, task lists and bare links. goldmark does the work.
//
// Taking apart takes time in proportion to the text, whatever it holds: a paragraph
// with thousands of signs, or quotes within dozens of quotes, is no Markdown but an
// attack or an accident, and stays as it was written.
package gfm
