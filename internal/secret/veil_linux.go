package secret

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
)

// Where /proc/self/stat says that the environment begins and ends, counted behind
// the name of the program (proc(5)).
const (
	environBegins = 47
	environEnds   = 48
)

// Veil overwrites the values of variables that [Without] leaves out, where the system tells others of the environment that
// this process was started with. The process itself has copies, by os.Getenv and
// os.Environ, and is not affected. The error says that they can still be read
// there.
func Veil(names ...string) error {
	begins, ends, err := block()
	if err != nil {
		return err
	}
	memory, err := os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	environ := make([]byte, ends-begins)
	if _, err := memory.ReadAt(environ, begins); err != nil {
		return errors.Join(err, memory.Close())
	}
	variables := strings.Split(string(environ), "\x00")
	holds, at := holding(variables, names), begins
	for _, v := range variables {
		if name, value, _ := strings.Cut(v, "="); value != "" && holds(v) {
			_, failed := memory.WriteAt(bytes.Repeat([]byte("*"), len(value)), at+int64(len(name))+1)
			err = errors.Join(err, failed)
		}
		at += int64(len(v)) + 1
	}
	return errors.Join(err, memory.Close())
}

// block returns where in the memory of this process its first environment is.
func block() (begins, ends int64, err error) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, 0, err
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= environEnds {
		return 0, 0, errors.New("/proc/self/stat does not say where the environment is")
	}
	begins, err1 := strconv.ParseInt(string(fields[environBegins]), 10, 64)
	ends, err2 := strconv.ParseInt(string(fields[environEnds]), 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return 0, 0, err
	}
	if begins <= 0 || ends < begins || ends-begins > 64<<20 {
		return 0, 0, errors.New("/proc/self/stat does not say where the environment is")
	}
	return begins, ends, nil
}
