// Package loglines cuts the bytes of a log into lines.
package loglines
