package presence_test

import (
	"fmt"

	"github.com/cambium-dev/cambium/presence"
)

// A holder says who has a session open.
func Example() {
	fmt.Println(presence.Holder{Program: "pi", PID: 7, Terminal: "/dev/pts/3", Sure: true})
	// Output: open in pi (pid 7, pts/3)
}
