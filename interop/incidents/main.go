// Command incidents carries out 67 recipes of what really happened to session
// files on Cambium and, where they are installed, on the real programs pi and
// omp, and prints what became of the session: a table of verdicts. Each program
// runs in a process of its own with limits of time and memory, so that one that
// hangs or dies is a verdict. Every verdict is found by checks in code.
//
// Usage: incidents [-on cambium,pi,omp] [-only M01,M02] [-agent omp]
// [-write doc/incidents.md], or incidents -suite crash|concurrent
//
// It needs root, or unshare -Urm, for a file system that is full and for files
// that cannot be renamed over. The exit status is 1 unless Cambium comes through
// all that were asked for.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/internal/peers"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "incidents:", err)
		os.Exit(1)
	}
}

func run() error {
	if os.Getenv(roleVariable) == "serve" {
		return serve(os.Stdin, os.Stdout)
	}
	only := flag.String("only", "", "these recipes, by id, with commas between")
	on := flag.String("on", "cambium,pi,omp", "the programs, with commas between; those not installed are left out")
	agent := flag.String("agent", "", "the dialect by which cambium takes the files; else their own")
	write := flag.String("write", "", "write the table to this file")
	suite := flag.String("suite", "", "instead of the recipes: crash, concurrent")
	flag.Parse()
	switch *suite {
	case "crash":
		return crash(os.Stdout, 250)
	case "concurrent":
		return concurrent(os.Stdout, []int{2, 3, 4, 5, 6, 7, 8}, each, peers.Pi, peers.Omp)
	}
	programs := installed(strings.Split(*on, ","))
	dir, err := os.MkdirTemp("", "cambium-incidents-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var some []string
	if *only != "" {
		some = strings.Split(*only, ",")
	}
	table := carryOutAll(programs, some, *agent, dir)
	complete(table)
	fmt.Println(scoreLine(table))
	if *write != "" {
		if err := os.WriteFile(*write, render(table), 0o644); err != nil {
			return err
		}
	}
	if good, all, _ := score(table, "cambium"); good < all {
		return fmt.Errorf("%d recipes are neither OK nor REF", all-good)
	}
	return nil
}

// installed leaves out the programs that are not.
func installed(programs []string) []string {
	root, err := peers.Root()
	return slices.DeleteFunc(programs, func(who string) bool {
		return who != "cambium" && (err != nil || peers.Program(who).Check(root) != nil)
	})
}

// carryOutAll runs the recipes, or some, each on all programs at once, and prints
// what becomes of them.
func carryOutAll(programs, some []string, agent, dir string) map[string]map[string]Result {
	table := map[string]map[string]Result{}
	for _, r := range Recipes() {
		if some != nil && !slices.Contains(some, r.ID) {
			continue
		}
		results, took := make([]Result, len(programs)), make([]time.Duration, len(programs))
		var group sync.WaitGroup
		for i, who := range programs {
			if r.on(who) {
				group.Go(func() {
					began := time.Now()
					results[i] = carryOut(r, who, agent, filepath.Join(dir, r.ID+"-"+who))
					took[i] = time.Since(began)
				})
			}
		}
		group.Wait()
		table[r.ID] = map[string]Result{}
		for i, who := range programs {
			if r.on(who) {
				table[r.ID][who] = results[i]
				fmt.Printf("%-4s %-8s %-7s %5.1fs  %s: %s\n", r.ID, who, results[i].Verdict, took[i].Seconds(), r.What, results[i].Note)
			}
		}
	}
	return table
}

// carryOut runs a recipe on a program in a folder of its own.
func carryOut(r Recipe, who, agent, dir string) Result {
	c := &Case{id: r.ID, who: who, agent: agent, dir: dir, limit: callLimit, memory: memoryLimit}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer c.finish()
		c.must(os.MkdirAll(c.path("."), 0o700))
		r.Run(c)
	}()
	<-done
	_ = os.RemoveAll(dir) // the folder above goes at the end
	return sum(c.found)
}

// startActor starts a process of the case's program.
func startActor(c *Case) (actor, error) {
	home := filepath.Join(c.dir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	switch c.who {
	case "cambium":
		return startCambium(home, append(c.env, agentVariable+"="+c.agent)...)
	case "pi", "omp":
		return startPeer(peers.Program(c.who), c.dir)
	}
	return nil, fmt.Errorf("no program is called %q", c.who)
}
