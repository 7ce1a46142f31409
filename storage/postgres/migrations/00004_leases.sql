-- +goose Up
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
drop table leases;
-- +goose StatementEnd
