// Package convert tells what the conversion of a session to another dialect did.
package convert
