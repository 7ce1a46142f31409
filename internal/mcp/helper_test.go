package mcp_test

import (
	"context"
	"io"
	"os"
)

// artifact makes a file at a path.
func artifact(path string) func(context.Context, string) (string, io.WriteCloser, error) {
	return func(context.Context, string) (string, io.WriteCloser, error) {
		f, err := os.Create(path)
		return path, f, err
	}
}
