// Package serverstatus has what the stores on servers say of themselves: what is stored, how
// safely, and that there is no store yet or one of an older version.
package serverstatus
