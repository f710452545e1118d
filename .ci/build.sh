#!/bin/sh
# build.sh LANE [TARGET]: configures and builds one lane of CMakePresets.json; one build at a time in a
# clone, quiet unless it fails. Its messages go to stderr.
set -eu
umask 022 # a plugin that others may write is refused
root=$(readlink -f -- "$0")
root=${root%/.ci/*}
lane=$1
target=${2-all}
folder=$root/build/$lane
log=$folder.log

stop() {
  printf 'speedtest-hd: %s\n' "$*" >&2
  exit 1
}

configure() {
  if [ -z "${STHD_TESTS-}${STHD_BENCH-}" ] && [ -e "$folder/build.ninja" ] &&
    [ -z "$(find "$root/CMakePresets.json" -newer "$folder/build.ninja")" ]; then
    return
  fi
  cmake --preset "$lane" ${STHD_TESTS:+"-DSTHD_TESTS=$STHD_TESTS"} ${STHD_BENCH:+"-DSTHD_BENCH=$STHD_BENCH"}
}

# ninja's counter on one line, while the log grows and this script lives.
show_progress() {
  while sleep 1 && kill -0 $$ 2>/dev/null; do
    count=$(sed -n 's/^\(\[[0-9]*\/[0-9]*\]\).*/\1/p' "$log" | tail -n 1)
    printf '\r\033[Kbuilding %s %s' "$lane" "$count" >&2
  done
}

if ! mkdir -p "$folder" 2>/dev/null || [ ! -w "$folder" ]; then
  stop "there is something to build, but $folder is not yours to write; start this once as its owner"
fi
cd "$root"
exec 9>"$root/build/.lock"
if ! flock -n 9; then
  echo "speedtest-hd: waiting for another build in $root" >&2
  flock 9
fi

if [ -e "$folder/CMakeCache.txt" ] &&
  ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
  rm -rf "$folder" # the clone was moved
  mkdir "$folder"
fi
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_SLOPPINESS=pch_defines,time_macros
  cache=${CCACHE_DIR-${XDG_CACHE_HOME-${HOME-}/.cache}/ccache}
  if ! mkdir -p "$cache" 2>/dev/null || [ ! -w "$cache" ]; then
    export CCACHE_DISABLE=1 # it would fail, not step aside
  fi
fi

echo "speedtest-hd: building $lane in $folder (minutes the first time)" >&2
printf '%s\n' "$root" >"$folder/.started"
watcher=
if [ -t 2 ] && [ "${TERM-dumb}" != dumb ]; then
  show_progress 9>&- &
  watcher=$!
fi
status=0
{ configure && cmake --build "$folder" --target "$target"; } >"$log" 2>&1 9>&- || status=$?
if [ -n "$watcher" ]; then
  kill "$watcher"
  printf '\r\033[K' >&2
fi
if [ "$status" != 0 ]; then
  tail -n 30 "$log" >&2
  stop "the $lane build failed; the whole log is $log"
fi
mv "$folder/.started" "$folder/.built"
