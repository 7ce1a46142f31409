// Package jetstream keeps logs in a stream of NATS JetStream, server 2.12 or
// later, so that many machines have the same ones.
//
// [Open] connects to a server, makes the stream if there is none, and returns a
// [Store]; [Store.Blobs] keeps blobs in an object store beside it.
//
// # What is stored
//
// All is in one stream, which alone decides; there is no second record that
// could disagree.
//
//	cambium.log.PROJECT.CONTENT  the lines of one content of a log
//	cambium.name.SEGMENT…        which content has a name now
//	cambium.dead.PROJECT.CONTENT contents to purge
//
// A message of a content holds whole lines, each with its line feed, and a
// header with what the log amounts to behind it: the head of a log is the last
// message of its subject. What is too large for one message is several, stored
// by the server together or not at all; a reader takes them as one, and leaves
// out those whose last one is missing. So a line may be longer than the server's
// largest message.
//
// A replacement is another content: its last step writes, as one, that the old
// content is sealed and that the name has the new one. A rename and a removal are
// such steps, too.
//
// # Appending
//
// An append is published with the last sequence of its subject that the mark
// knows: the server takes it only there. Its cost does not depend on the size of
// the log. Each append has a random token. When the answer is lost, with the
// connection or the server, or is a refusal, what follows the mark tells whether it
// took place: by this call while Options.Patience lasts, which sends it again only
// where it can be taken only once, and else by the next one. Neither a refusal nor
// a message that is missing is believed, for both may come from a server that was
// the leader of a cluster before: only another message in the place is. So no line
// is lost that was acknowledged, and none is there twice.
//
// A server that comes back without its last messages answers their marks with a
// *storage.Changed of kind Truncated.
//
// # How durable it is
//
// That is the server's to say: with one replica and the usual settings an
// acknowledged append survives the death of the server, not a power cut in the
// next two minutes. Ask for replicas=3, or sync=always, in the URL: a server that
// has less is refused. [Store] says by Durability what is there.
package jetstream
