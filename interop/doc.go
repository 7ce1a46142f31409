// Package interop compares Cambium with the real programs pi and omp, whose
// npm packages install.sh puts into pi/ and omp/ here, exactly as the lock files
// say. programs.mjs and methods.mjs are our commands over their session
// managers, driver.mjs serves them to interop/peers, bench.mjs times them;
// history.mjs serves omp's prompt history, pretend.mjs lets a program believe in
// another clock.
//
// The package has no code of its own. Its tests carry the build tag peers
// ("make interop"); without an installation they fail and say so.
package interop
