// Package usage says what sessions took and cost. It is pure: entries go in, sums
// come out.
//
// A [Charge] is one call of a model, or one run of a tool. A [Reader] makes the charges
// of one session while its entries pass by: a [Ledger]. A [Book] holds the ledgers of
// all sessions and counts each charge once: a charge belongs to the eldest session that
// has it, and every other session inherited it.
//
// Money is a whole number of micro-dollars, and tokens are whole numbers, so that sums
// are exact and do not depend on the order in which they are added. Each charge says
// where its cost comes from: see [Origin].
//
// doc/usage.md says what counts, what does not, and why.
package usage
