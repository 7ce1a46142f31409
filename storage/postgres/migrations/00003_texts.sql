-- +goose Up
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

-- lz4 is read more than twice as fast; not every server is built with it.
-- +goose StatementBegin
do $$
begin
	for i in 0..15 loop
		execute format('create table texts_%s partition of texts for values with (modulus 16, remainder %s)', i, i);
		begin
			execute format('alter table texts_%s alter column body set compression lz4', i);
		exception when feature_not_supported or invalid_parameter_value then
			null;
		end;
	end loop;
end
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
drop table texts;
-- +goose StatementEnd
