// Package lease is what stores on servers have in common: taking turns within a
// process, and leases that are renewed as long as their holder lives.
package lease
