//go:build linux

// Command incidents carries out 67 recipes of what really happened to session
// files on Cambium and, where they are installed, on the real programs pi and
// omp, and prints what became of the session: a table of verdicts. Each program
// runs in a process of its own with limits of time and memory, so that one that
// hangs or dies is a verdict. Every verdict is found by checks in code.
//
// Usage: incidents [-on cambium,pi,omp] [-only M01,M02] [-agent omp]
// [-write doc/incidents.md], or
// incidents -suite crash|concurrent
//
// It needs root, or unshare -Urm, for a file system that is full and for files
// that cannot be renamed over. The exit status is 1 unless Cambium comes through
// all that were asked for; what becomes of the others is never an error.
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

	"github.com/cambium-dev/cambium/interop/peers"
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
		if err := concurrent(os.Stdout, []int{2, 3, 4, 5, 6, 7, 8}, each, peers.Pi, peers.Omp); err != nil {
			return err
		}
		return sharing(os.Stdout, 4, each, peers.Omp)
	}
	programs := installed(strings.Split(*on, ","))
	some, err := recipesOf(*only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cambium-incidents-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	table := carryOutAll(programs, some, *agent, dir)
	complete(table)
	fmt.Printf("\n%s\n%s\n", counts(table), scoreLine(table))
	if *write != "" {
		if err := os.WriteFile(*write, render(table), 0o644); err != nil {
			return err
		}
	}
	if good, _, _ := score(table, "cambium"); good < len(some) && slices.Contains(programs, "cambium") {
		return fmt.Errorf("%d of %d recipes are neither OK nor REF", len(some)-good, len(some))
	}
	return nil
}

// recipesOf returns the recipes that are named, all for "".
func recipesOf(names string) ([]Recipe, error) {
	all := Recipes()
	if names == "" {
		return all, nil
	}
	var some []Recipe
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(all, func(r Recipe) bool { return r.ID == name })
		if i < 0 {
			return nil, fmt.Errorf("no recipe is named %q", name)
		}
		some = append(some, all[i])
	}
	return some, nil
}

// installed leaves out the programs that are not.
func installed(programs []string) []string {
	root, err := peers.Root()
	return slices.DeleteFunc(programs, func(who string) bool {
		return who != "cambium" && (err != nil || peers.Program(who).Check(root) != nil)
	})
}

// carryOutAll runs recipes, one after the other on each program, the programs
// beside each other, and prints what becomes of them as it comes.
func carryOutAll(programs []string, recipes []Recipe, agent, dir string) map[string]map[string]Result {
	table := map[string]map[string]Result{}
	for _, r := range recipes {
		table[r.ID] = map[string]Result{}
	}
	var lock sync.Mutex // of the table and of what is printed
	var group sync.WaitGroup
	for _, who := range programs {
		group.Go(func() {
			for _, r := range recipes {
				if !r.on(who) {
					continue
				}
				began := time.Now()
				result := carryOut(r, who, agent, filepath.Join(dir, r.ID+"-"+who))
				lock.Lock()
				table[r.ID][who] = result
				fmt.Printf("%-4s %-8s %-7s %5.1fs  %s: %s\n", r.ID, who, result.Verdict, time.Since(began).Seconds(), r.What, result.Note)
				lock.Unlock()
			}
		})
	}
	group.Wait()
	return table
}

// carryOut runs a recipe on a program in a folder of its own.
func carryOut(r Recipe, who, agent, dir string) Result {
	c := &Case{id: r.ID, who: who, agent: agent, dir: dir, limit: limitOf(who), memory: memoryLimit}
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
