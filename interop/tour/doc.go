// Package tour makes doc/tour.md: the tour of a new user through a store of
// sessions that the real pi and omp wrote, with what stood on the terminal
// ("make tour"). The store is that of conversations.txt; each program writes it
// through its own session manager into a private home, at times and with ids that
// are the same each time. The second part and the third, which has a screen, are
// taken in homes with nothing in them: an agent works there, with a model that says
// what stands in agent.jsonl or chat.jsonl, served by a process of its own.
//
// Its tests carry the build tag peers ("make interop"): they find and resume in
// the store, and take the tour without writing it down; what the second part and
// the third show must be what is written, the pictures of the third too.
package tour
