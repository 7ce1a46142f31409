-- +goose Up
-- The words of a line, in pieces, as Options.Extract gave them: nothing of them is
-- taken apart or folded here. What lines count for together is in the head.
-- +goose StatementBegin
drop table texts;
-- +goose StatementEnd

-- +goose StatementBegin
create table texts (
	project bigint not null,
	gen     bigint not null,
	seq     bigint not null,
	part    int not null,
	words   tsvector not null,
	primary key (project, gen, seq, part)
) partition by hash (project);
-- +goose StatementEnd

-- +goose StatementBegin
create index texts_words on texts using gin (words);
-- +goose StatementEnd

-- lz4 is read more than twice as fast; not every server is built with it.
-- +goose StatementBegin
do $$
begin
	for i in 0..15 loop
		execute format('create table texts_%s partition of texts for values with (modulus 16, remainder %s)', i, i);
		begin
			execute format('alter table texts_%s alter column words set compression lz4', i);
		exception when feature_not_supported or invalid_parameter_value then
			null;
		end;
	end loop;
end
$$;
-- +goose StatementEnd

-- +goose StatementBegin
alter table heads add column said bigint not null default 0;
-- +goose StatementEnd

-- +goose StatementBegin
update heads set texted = 0;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
alter table heads drop column said;
-- +goose StatementEnd

-- +goose StatementBegin
drop table texts;
-- +goose StatementEnd

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
do $$
begin
	for i in 0..15 loop
		execute format('create table texts_%s partition of texts for values with (modulus 16, remainder %s)', i, i);
	end loop;
end
$$;
-- +goose StatementEnd

-- +goose StatementBegin
update heads set texted = 0;
-- +goose StatementEnd
