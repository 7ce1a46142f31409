// The methods of the driver about compaction: what a program would do with the
// branch of the current session, without a model and without writing.

/** Returns the methods over one program and the way to its current manager. */
export function compaction(program, current) {
	/** The branch that ends with an entry, as entries. */
	const branch = leaf => current().getBranch(leaf ?? undefined);
	const files = ops => ({ read: [...ops.read].sort(), written: [...ops.written].sort(), edited: [...ops.edited].sort() });

	return {
		/** What a compaction of the branch would do, null when nothing. */
		prepareCompaction: (leaf, keepRecentTokens) => {
			const p = program.prepareCompaction(branch(leaf), { enabled: true, reserveTokens: 16384, keepRecentTokens });
			if (!p) return null;
			return {
				firstKeptEntryId: p.firstKeptEntryId,
				summarize: p.messagesToSummarize,
				prefix: p.turnPrefixMessages,
				split: p.isSplitTurn,
				tokensBefore: p.tokensBefore,
				previousSummary: p.previousSummary,
				files: files(p.fileOps),
			};
		},
		/** What would be summed up of a branch that is left. */
		prepareBranch: (leaf, target, budget) => {
			const { entries, commonAncestorId } = program.collectBranch(current(), leaf, target);
			const p = program.prepareBranch(entries, budget);
			return {
				entryIds: entries.map(e => e.id),
				ancestor: commonAncestorId,
				messages: p.messages,
				tokens: p.totalTokens,
				files: files(p.fileOps),
			};
		},
		/** Prunes copies of the entries of the branch; the texts of those pruned. */
		prune: (leaf, config) => {
			const entries = structuredClone(branch(leaf));
			const was = new Map(entries.map(e => [e.id, e.message?.prunedAt]));
			const result = program.prune(entries, config);
			const pruned = entries.filter(e => e.message?.prunedAt !== undefined && was.get(e.id) === undefined);
			return { saved: result.tokensSaved, notices: pruned.map(e => [e.id, e.message.content[0].text]) };
		},
	};
}
