package layout_test

import (
	"fmt"

	"github.com/cambium-dev/cambium/layout"
)

// Each agent keeps its sessions at a place of its own.
func Example() {
	env := layout.Env{Home: "/home/ada", Cwd: "/home/ada/garden"} // a program takes layout.Here()
	fmt.Println(layout.For("pi", env, layout.Overrides{}).Sessions)
	fmt.Println(layout.For("cambium", env, layout.Overrides{}).Sessions)
	// Output:
	// /home/ada/.pi/agent/sessions
	// /home/ada/.cambium/agent/sessions
}
