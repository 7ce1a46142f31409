# What one does with this repository, beside plain "go build" and "go test".
# Nothing but Go is needed, except where a target says so.

GO ?= go

# How long each fuzz target runs, and how often bench-peers measures a cell.
FUZZTIME ?= 10m
REPEAT ?= 5

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

# The rooms with concurrency of their own: goroutines, locks or files that
# others write.
RACE = ./internal/jsonl ./internal/journal ./internal/term ./internal/vfs/... \
	./storage/... ./blob ./prompts ./session ./catalog ./search ./agent ./internal/coder ./internal/coder/tool \
	./internal/rpc ./internal/serve ./internal/acp ./internal/mcp .

.PHONY: all build vet test race fuzz bench bench-peers interop tour large share share-versions bench-share incidents crash concurrent damage hardship again terminal peers windows web ci

all: build vet test

build:
	$(GO) build ./...
	$(GO) build -C interop ./...

# gofmt, go vet (also of the tests with build tags), staticcheck, tidy go.mod.
vet:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "gofmt: not formatted:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -C interop ./...
	$(GO) vet -C interop -tags=peers,large,share,web ./...
	$(GO) vet -tags=share ./storage/... ./internal/cli ./internal/exchange
	$(GO) run $(STATICCHECK) ./...
	cd interop && $(GO) run $(STATICCHECK) ./... && $(GO) run $(STATICCHECK) -tags=peers,large,share,web ./...
	$(GO) run $(STATICCHECK) -tags=share ./storage/... ./internal/cli ./internal/exchange
	$(GO) mod tidy -diff
	cd interop && $(GO) mod tidy -diff

# interop is a module of its own: who uses the library does not see what it needs.
test:
	$(GO) test ./...
	$(GO) test -C interop ./...

race:
	$(GO) test -race $(RACE)

# Go benchmarks of the rooms, without their tests.
bench:
	$(GO) test -run='^$$' -bench=. -benchmem ./...

# Every fuzz target of the module in turn, FUZZTIME each.
fuzz:
	GO="$(GO)" FUZZTIME="$(FUZZTIME)" .ci/fuzz

# The two real programs, exactly as the lock files say. Needs npm and linux-x64.
peers:
	interop/install.sh

# Sessions that the real programs wrote read here, and ours read there.
interop: peers
	$(GO) test -C interop -count=1 -tags=peers -timeout=30m ./...
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || .ci/postgres
	$(GO) test -C interop -count=1 -tags=peers,share -timeout=10m -run=TestShare .

# The tour of a new user through what the real programs wrote, with screenshots:
# doc/tour.md and doc/tour/*.svg. The home is /tmp/adas, which must not exist; those
# of the second part and the third, an agent and a chat, are new ones below /tmp.
tour: peers
	$(GO) test -C interop -count=1 -tags=peers -run=TestTour ./tour -write=$(CURDIR)/doc

# What cambium export writes in a real browser: Chromium, which is installed from
# Debian's packages if there is none (needs root then). WEB=-write=DIR writes screenshots.
WEB ?=
web:
	@command -v chromium >/dev/null || .ci/web
	$(GO) test -C interop -count=1 -tags=web -timeout=10m ./web $(WEB)

# A session of 1 GB within 100 MB of memory, a line of 600 MB held once, a listing
# of 2 GB within 64 MB. Writes 2 GB to the temporary folder.
large:
	$(GO) test -C interop -count=1 -tags=large -timeout=20m -v -run=TestLarge ./...

# The stores that machines share, on real servers: the tests start them in the
# temporary folder, on free ports of the loopback, kill, freeze and stop them.
# Installs PostgreSQL and PgBouncer if there are none (needs root then), builds
# nats-server, and starts nothing else.
share:
	@{ command -v initdb || ls /usr/lib/postgresql/*/bin/initdb; } >/dev/null 2>&1 && { command -v pgbouncer || ls /usr/sbin/pgbouncer; } >/dev/null 2>&1 || .ci/postgres
	$(GO) test -count=1 -tags=share -timeout=20m ./storage/... ./internal/exchange
	$(GO) test -count=1 -tags=share -timeout=10m -run=TestShare ./internal/cli
	@! command -v systemd-analyze >/dev/null || .ci/units

# The PostgreSQL store on other versions of the server, 14 to 18, which come from the
# npm registry as .ci/versions/package-lock.json says; a minute or two each.
# VERSIONS=18 runs one.
VERSIONS ?=
share-versions:
	.ci/versions/run $(VERSIONS)

# What appending, reading, listing and syncing cost in those stores, as a table,
# which is written to doc/scale.md; with SHARE= it is printed only. Needs about 3 GB
# in the temporary folder.
SHARE ?= -write=$(CURDIR)/doc/scale.md
bench-share:
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || .ci/postgres
	$(GO) run -C interop ./share $(SHARE)

# What happened to sessions in 67 cases that were reported of such programs, and
# what happens to them here and in the real programs. Fails unless Cambium comes
# through all 67. The page is written anew; with INCIDENTS= it is printed only.
# Needs root or unshare, and about 2 GB in the temporary folder.
INCIDENTS ?= -write=$(CURDIR)/doc/incidents.md
incidents: peers
	.ci/rooted $(GO) run -C interop ./incidents $(INCIDENTS)

# Kills a process 1,050 times while it appends and rewrites. The short form is a
# test.
crash:
	$(GO) run -C interop ./incidents -suite=crash

# Two to eight processes, and one beside each real program, with one session; and
# 10,000 histories of programs that write to one file in every way. The short forms are
# tests.
concurrent: peers
	$(GO) run -C interop ./incidents -suite=concurrent
	$(GO) test -count=1 -timeout=20m -v -run='^TestOthersWrite$$' ./internal/journal -histories=10000

# Damages 10,000 sessions by chance and wants the rest of each in view and in
# context; copies, sends and repairs 3,000 and wants tree and context of each to stay,
# leaf by leaf; repairs 1,000 for each real program, which has to open them and say
# the same of them. The short forms are tests.
COPIES ?= 3000
REPAIRED ?= 1000
damage: peers
	$(GO) test -count=1 -timeout=30m -v -run=TestManyDamages ./session -damages=10000
	$(GO) test -count=1 -timeout=30m -v -run='TestCopiesMeanTheSame|TestRepairedMeansTheSame' ./session ./internal/exchange ./repair -copies=$(COPIES)
	$(GO) test -C interop -count=1 -tags=peers -timeout=30m -v -run='^TestRepairedOpens$$' . -repaired=$(REPAIRED)

# The tests under what machines differ in: short and long temporary directories, odd
# letters, locales, a time zone, umasks, another user, one core, a busy machine; each
# ROUNDS times, an hour and a half in all. Installs locales and tzdata if there are none (needs
# root then). SETTINGS="umask-000 tz" picks; with HARDSHIP= it is printed only.
HARDSHIP ?= -write=doc/hardship.md
hardship:
	.ci/hardship $(HARDSHIP)

# The tests TIMES times in a row, as the README says; stops at the first failure.
TIMES ?= 20
again:
	@for n in $$(seq $(TIMES)); do \
		echo "== $$n of $(TIMES)"; { $(GO) test -count=1 ./... && $(GO) test -C interop -count=1 ./...; } || exit; done

# The browser, the tree and the chat on tmux, as people see them; the tests do it on
# an emulator. Needs tmux.
terminal:
	.ci/shells
	.ci/terminal

# The tests of all packages built for Windows, on Wine, and the built command on the
# examples. doc/platforms.md says what Wine cannot do. Installs Wine from Debian if there
# is none (needs root then); WINDOWS="./entry ./internal/journal" picks packages.
WINDOWS ?=
windows:
	.ci/windows $(WINDOWS)

# The table of ratios to the real programs, written to doc/bench.md. Needs about
# 1 GB in the temporary folder.
bench-peers: peers
	$(GO) run -C interop ./table -many -repeat=$(REPEAT) -write=$(CURDIR)/doc/bench.md

ci:
	.ci/run
