// Package vendors holds what is recorded and made up of the providers' event streams
// against the types of the vendors' own libraries, which nothing else here needs.
//
// The package has no code of its own. Its tests carry the build tag peers.
package vendors
