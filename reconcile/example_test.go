package reconcile_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/reconcile"
)

// What a run would do is found out first.
func Example() {
	home, err := os.MkdirTemp("", "cambium-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	here := reconcile.Homes(layout.Env{Home: home, Cwd: home}, layout.Overrides{})
	report, err := reconcile.Run(context.Background(), here, reconcile.Directory(home+"/drive"), reconcile.Options{DryRun: true})
	fmt.Println(report.Sessions, err)
	// Output: 0 <nil>
}
