# shellcheck shell=sh disable=SC2034,SC2154  # variables shared with those who source it
# Sourced by ./speedtest-hd and ./run-tests, which set $root: the packages, and who builds.

# Debian's package, and the command, header or file by which it is known to be there, on Debian or elsewhere.
build_needs='g++=g++ cmake=cmake ninja-build=ninja libtomlplusplus-dev=toml++/toml.h
  libboost-dev=boost/dll/alias.hpp libfmt-dev=fmt/format.h librange-v3-dev=range/v3/all.hpp
  libaio-dev=libaio.h liburing-dev=liburing.h libcli11-dev=CLI/CLI.hpp nlohmann-json3-dev=nlohmann/json.hpp
  libvalijson-dev=valijson/validator.hpp
  libjs-chart.js=/usr/share/javascript/chart.js/chart.min.js|/usr/share/nodejs/chart.js/dist/chart.min.js'
test_needs='catch2=catch2/catch.hpp|catch2/catch_all.hpp fio=fio xfsprogs=mkfs.xfs
  btrfs-progs=mkfs.btrfs busybox=busybox strace=strace python3=python3'
bench_needs='libbenchmark-dev=benchmark/benchmark.h fio=fio strace=strace
  python3=python3'

stop() {
  code=$1
  shift
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit "$code"
}

has() {
  case $1 in
    *'|'*) has "${1%%|*}" || has "${1#*|}" ;;
    /*) [ -e "$1" ] ;;
    *.h | *.hpp)
      [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ] ||
        { command -v g++ && printf '#include <%s>\n' "$1" | g++ -std=c++20 -E -x c++ -; } >/dev/null 2>&1
      ;;
    *) PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null ;;
  esac
}

missing_of() {
  for need in $1; do
    has "${need#*=}" || printf ' %s' "${need%%=*}"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif [ -t 0 ]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# install_missing YES NEEDS: on a terminal it asks unless YES is set; without one it says what it does.
install_missing() {
  missing=$(missing_of "$2")
  [ -n "$missing" ] || return 0
  command -v apt-get >/dev/null ||
    stop 2 "not installed here (by their Debian names):$missing; install them, then start again"
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    stop 2 "as root, run: apt-get install$missing"
  fi
  printf '%s: needs these packages:%s\n' "${0##*/}" "$missing" >&2
  if [ -z "$1" ] && [ -t 0 ] && [ -t 2 ]; then
    printf 'Install them with apt-get? [Y/n] ' >&2
    read -r answer || answer=n
    case $answer in
      '' | [Yy]*) ;;
      *) stop 2 "nothing was installed; to do it yourself: apt-get install$missing" ;;
    esac
  else
    printf '%s: installing them with apt-get\n' "${0##*/}" >&2
  fi
  log=$(mktemp)
  # shellcheck disable=SC2086  # a list of package names
  if ! apt_install $missing >"$log" 2>&1; then
    # The lists are old or were never fetched.
    if ! { as_root apt-get update && apt_install $missing; } >"$log" 2>&1; then
      tail -n 15 "$log" >&2
      stop 2 "apt-get failed (whole log: $log); as root, run: apt-get install$missing"
    fi
  fi
  rm -f "$log"
}

# Root builds as the owner of the clone: files below build/ stay the user's, also under sudo.
as_owner() {
  owner=$(stat -c %u "$root")
  if [ "$(id -u)" != 0 ] || [ "$owner" = 0 ]; then
    "$@"
    return
  fi
  entry=$(getent passwd "$owner" || echo "::$owner:$(stat -c %g "$root")::/:")
  group=$(echo "$entry" | cut -d: -f4)
  home=$(echo "$entry" | cut -d: -f6)
  if setpriv --reuid="$owner" --regid="$group" --clear-groups test -w "$root" 2>/dev/null; then
    env -u XDG_CACHE_HOME -u CCACHE_DIR HOME="$home" \
      setpriv --reuid="$owner" --regid="$group" --clear-groups "$@"
  else
    "$@" # such as an owner from outside this container
  fi
}

# build LANE [TARGET]
build() {
  as_owner sh "$root/.ci/build.sh" "$@" </dev/null || exit
}
