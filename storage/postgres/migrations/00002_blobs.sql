-- +goose Up
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
		execute format('create table blobs_%s partition of blobs for values with (modulus 16, remainder %s)', i, i);
	end loop;
end
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
drop table blobs;
-- +goose StatementEnd
