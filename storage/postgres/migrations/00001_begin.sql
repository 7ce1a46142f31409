-- What a store of logs needs. The schema is the search path's first.

-- +goose Up
-- +goose StatementBegin
create sequence numbers;
-- +goose StatementEnd

-- A head is a log: what it is called and where it ends. Names compare byte by
-- byte. Updates of an append touch no indexed column, so that they stay in
-- their page.
-- +goose StatementBegin
create table heads (
	dir     text collate "C" not null,
	base    text collate "C" not null,
	id      bigint not null,
	project bigint not null,
	gen     bigint not null,
	lines   bigint not null,
	bytes   bigint not null,
	token   bigint not null,
	texted  bigint not null default 0,
	mtime   timestamptz not null default clock_timestamp(),
	primary key (dir, base)
) with (fillfactor = 60);
-- +goose StatementEnd
-- +goose StatementBegin
create unique index heads_id on heads (id);
-- +goose StatementEnd
-- +goose StatementBegin
create unique index heads_gen on heads (gen);
-- +goose StatementEnd

-- Every directory that a log was ever in, with the one that it is in.
-- +goose StatementBegin
create table dirs (
	parent text collate "C" not null,
	dir    text collate "C" not null,
	primary key (parent, dir)
);
-- +goose StatementEnd

-- A line, as bytes. pos is where it starts in the log's bytes, line feeds
-- counted; token is that of the append it came with.
-- +goose StatementBegin
create table lines (
	project bigint not null,
	gen     bigint not null,
	seq     bigint not null,
	pos     bigint not null,
	token   bigint not null,
	body    bytea not null,
	primary key (project, gen, seq)
) partition by hash (project);
-- +goose StatementEnd

-- What can be found by words in a line, in pieces.
-- +goose StatementBegin
create table texts (
	project bigint not null,
	gen     bigint not null,
	seq     bigint not null,
	part    int not null,
	body    text not null,
	words   tsvector generated always as (to_tsvector('simple', body)) stored,
	primary key (project, gen, seq, part)
) partition by hash (project);
-- +goose StatementEnd
-- +goose StatementBegin
create index texts_words on texts using gin (words);
-- +goose StatementEnd

-- +goose StatementBegin
create table blobs (
	hash bytea not null primary key,
	body bytea not null
) partition by hash (hash);
-- +goose StatementEnd

-- +goose StatementBegin
do $$
begin
	for i in 0..15 loop
		execute format('create table lines_%s partition of lines for values with (modulus 16, remainder %s)', i, i);
		execute format('create table texts_%s partition of texts for values with (modulus 16, remainder %s)', i, i);
		execute format('create table blobs_%s partition of blobs for values with (modulus 16, remainder %s)', i, i);
		-- lz4 is read more than twice as fast; not every server is built with it.
		begin
			execute format('alter table lines_%s alter column body set compression lz4', i);
			execute format('alter table texts_%s alter column body set compression lz4', i);
		exception when feature_not_supported or invalid_parameter_value then
			null;
		end;
	end loop;
end
$$;
-- +goose StatementEnd

-- Contents that a replacement took the place of, kept a while for who reads
-- them.
-- +goose StatementBegin
create table dead (
	project bigint not null,
	gen     bigint not null,
	since   timestamptz not null default clock_timestamp(),
	primary key (project, gen)
);
-- +goose StatementEnd

-- Who has a log open. All times but since are the server's.
-- +goose StatementBegin
create table leases (
	nonce    bigint not null primary key,
	name     text collate "C" not null,
	holder   text not null,
	host     text not null,
	pid      bigint not null,
	terminal text not null,
	since    timestamptz not null,
	expires  timestamptz not null
);
-- +goose StatementEnd
-- +goose StatementBegin
create index leases_name on leases (name);
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
drop table leases, dead, blobs, texts, lines, dirs, heads;
-- +goose StatementEnd
-- +goose StatementBegin
drop sequence numbers;
-- +goose StatementEnd
