package layout_test

import (
	"fmt"

	"github.com/cambium-dev/cambium/layout"
)

// In a store that many machines have, the home is the root.
func Example() {
	env := layout.Env{Home: "/home/ada", Cwd: "/home/ada/garden"} // a program takes layout.Here()
	fmt.Println(env.InStore().Home, env.Homely("~/garden"))
	// Output: / /home/ada/garden
}
