package secret_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/secret"
)

// child is a process that veils its secrets, and has a program that it starts look
// for them.
func child() int {
	if err := secret.Veil("OWN_NAME"); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("still has", os.Getenv("TEST_API_KEY"), os.Getenv("OWN_NAME"))
	look := exec.Command("sh", "-c", "tr '\\0' '\\n' </proc/$PPID/environ; echo; echo of its own:; env")
	look.Env = secret.Without(os.Environ(), "OWN_NAME")
	out, err := look.CombinedOutput()
	fmt.Printf("%s", out)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// TestVeil: what a process starts does not find the secrets of its environment in
// /proc, while it has them still.
func TestVeil(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "FIRST=one", "SECRET_TEST_CHILD=1", "TEST_API_KEY=planted-one-of-some-length", "COPY=planted-one-of-some-length", "OWN_NAME=planted-two", "PGPASSWORD=", "LAST=three"}
	data, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	said, found, _ := strings.Cut(string(data), "\n")
	if said != "still has planted-one-of-some-length planted-two" {
		t.Errorf("it has them no more: %q", said)
	}
	if strings.Contains(found, "planted") {
		t.Errorf("they are found:\n%s", found)
	}
	for _, want := range []string{"FIRST=one\n", "TEST_API_KEY=**************************\n", "COPY=**************************\n", "PGPASSWORD=\n", "LAST=three\n"} {
		if !strings.Contains(found, want) {
			t.Errorf("%q is not to be seen in\n%s", want, found)
		}
	}
}
