//go:build unix && !linux && !darwin

package vfs

import "errors"

// LockHolder is not known here.
func LockHolder(Info) Holder { return Holder{} }

// Process describes a process, of which nothing but the number is known here.
func Process(pid int) Holder { return Holder{PID: pid} }

// Descriptors describes none, as they are not known here.
func Descriptors(int) ([]Info, error) { return nil, nil }

// Users fails: the system is not asked here.
func Users(Info) ([]int, error) { return nil, errors.ErrUnsupported }
