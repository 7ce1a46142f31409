//go:build !linux

package secret_test

func child() int { return 1 }
