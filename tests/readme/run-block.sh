#!/bin/sh
# run-block.sh ROOT NUMBER: runs one ```sh block of README.md as a reader would, in the clone, with a
# folder of its own in place of /mnt/pool. A line `# exit N` before a command says how it must end.
set -eu
root=$1
number=$2
mkdir -p "$root/build"
work=$(mktemp -d "$root/build/readme.XXXXXX")
export work XDG_CONFIG_HOME="$work/home" XDG_STATE_HOME="$work/state"
unset CI SUDO_UID # runs are kept, in that folder
trap 'rm -rf "$work"' EXIT
profiles=$XDG_CONFIG_HOME/speedtest-hd/profiles
mkdir -p "$work/pool" "$profiles"
# shellcheck disable=SC2016  # no expansion is meant
sed -n '/^```toml$/,/^```$/{/^```/!p}' "$root/README.md" >"$profiles/team.toml"

awk -v number="$number" '
  /^```sh$/ { inside = (++seen == number); next }
  /^```/ { inside = 0 }
  inside' "$root/README.md" >"$work/block"
if ! [ -s "$work/block" ]; then
  echo "README.md has no block $number" >&2
  exit 1
fi

cd "$root"
expected=0
while IFS= read -r line; do
  case $line in
    '# exit '*) expected=${line#'# exit '} ;;
    ./run-tests*) ;; # is what is running
    ./run-bench*) ;; # takes its time, and wants the machine for itself
    '' | '#'*) ;;
    *)
      # shellcheck disable=SC2016  # the command expands it
      command=$(printf '%s\n' "$line" | sed 's|/mnt/pool|"$work"/pool|g; s|/tmp/|"$work"/|g')
      printf '$ %s\n' "$command"
      status=0
      sh -c "$command" </dev/null || status=$?
      if [ "$status" != "$expected" ]; then
        echo "exit code $status, not $expected" >&2
        exit 1
      fi
      expected=0
      ;;
  esac
done <"$work/block"

left=$(find "$work/pool" -type f)
if [ -n "$left" ]; then
  echo "left behind: $left" >&2
  exit 1
fi
