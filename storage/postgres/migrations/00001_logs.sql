-- All names lie in the schema that the search path begins with.

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

-- lz4 is read more than twice as fast; not every server is built with it.
-- +goose StatementBegin
do $$
begin
	for i in 0..15 loop
		execute format('create table lines_%s partition of lines for values with (modulus 16, remainder %s)', i, i);
		begin
			execute format('alter table lines_%s alter column body set compression lz4', i);
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

-- +goose Down
-- +goose StatementBegin
drop table dead, lines, dirs, heads;
-- +goose StatementEnd

-- +goose StatementBegin
drop sequence numbers;
-- +goose StatementEnd
