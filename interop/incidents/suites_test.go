package main

import (
	"fmt"
	"os"
	"testing"
)

// TestMain makes the test program a process of cambium when it is told so.
func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) == "serve" {
		if err := serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestCrash is the short form of "make crash".
func TestCrash(t *testing.T) {
	if err := crash(t.Output(), 5); err != nil {
		t.Error(err)
	}
}

// TestConcurrent is the short form of "make concurrent".
func TestConcurrent(t *testing.T) {
	if err := concurrent(t.Output(), []int{2, 4}, 450); err != nil {
		t.Error(err)
	}
}
