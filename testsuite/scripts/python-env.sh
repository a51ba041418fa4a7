#!/usr/bin/env bash
# The Python environment of the tests, in testsuite/.venv: lit, numpy, and isl (through islpy) as an oracle; in testsuite/.venv/barvinok
# a second islpy that can count (it is slower in all else, so speed is compared with the first).
# usage: testsuite/scripts/python-env.sh        may be run again at any time
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

wanted="islpy==2026.2.2 lit==23.1.5 numpy==2.4.6"
counting="islpy-barvinok==2026.2.2"
stamp=.venv/installed
if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted $counting" ]; then
  echo "Python environment: all there"
  exit 0
fi
echo "Python environment: installing $wanted $counting into testsuite/.venv"
# An environment that was left half made is made anew.
if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
  rm -rf .venv
  python3 -m venv .venv || {
    rm -rf .venv
    echo "the environment can't be made; if python3 has no venv module: apt-get install python3-venv" >&2
    exit 1
  }
fi
# shellcheck disable=SC2086 # a list of words
.venv/bin/python -m pip install --quiet --disable-pip-version-check $wanted
.venv/bin/python -m pip install --quiet --disable-pip-version-check --upgrade --no-deps --target .venv/barvinok "$counting"
printf '%s\n' "$wanted $counting" >"$stamp"
