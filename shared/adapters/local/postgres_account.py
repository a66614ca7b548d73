"""The account under which the embedded Postgres runs, as it refuses to run as root, and a place for its programs.

Root's folders remain closed. The server gets an open handle of its data folder (postgres_keeper.py); its programs are
copied to where any account may read them, if they are where it may not.
"""

import os
import pwd
import shutil
import stat
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any

from shared.errors import Unavailable

OWN_ACCOUNT, ANY_ACCOUNT = "autri", "nobody"
PUBLIC = Path("/var/lib/autri")


def account_for(data: Path) -> pwd.struct_passwd | None:
    """The account of the server where this process is root, else None: the owner of its data, an account named `autri`
    where the system has one, else `nobody`."""
    if os.geteuid() != 0:
        return None
    if not sys.platform.startswith("linux"):
        raise Unavailable("Postgres refuses to run as root. Start Autri under an ordinary account.")
    if data.exists() and (owner := data.stat().st_uid) != 0:
        return pwd.getpwuid(owner)
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    return known.get(OWN_ACCOUNT) or known[ANY_ACCOUNT]


def identity(account: pwd.struct_passwd | None) -> dict[str, Any]:
    """That account as arguments of `subprocess`: its groups too, or it would be judged by root's group."""
    return {} if account is None else {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def public_programs(programs: Path, public: Path = PUBLIC) -> Path:
    """`programs` (…/package/pginstall/bin) where every account may run them, else a copy of the package that it may.

    Raises Unavailable where no such copy can be made.
    """
    if _is_open_to_all(programs):
        return programs
    package = programs.parent.parent
    stamp = f"{programs}{(programs / 'postgres').stat().st_mtime_ns}"
    copy = public / f"postgres-{sha256(stamp.encode()).hexdigest()[:12]}"
    if not copy.exists():
        try:
            _copy_for_all([package, *package.parent.glob(f"{package.name}.libs")], copy)
        except OSError as error:
            raise Unavailable(
                f"Postgres does not run as root, and another account may not read {programs}; a copy in {public} "
                f"failed ({error.strerror}). Start Autri under an ordinary account."
            ) from error
    return copy / package.name / programs.parent.name / programs.name


def _is_open_to_all(folder: Path) -> bool:
    above = all(path.stat().st_mode & stat.S_IXOTH for path in (folder, *folder.parents))
    return above and bool((folder / "postgres").stat().st_mode & stat.S_IXOTH)


def _copy_for_all(folders: list[Path], target: Path) -> None:
    """Whole or not at all; only this process's account may change it."""
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
    target.parent.chmod(0o755)
    partial = Path(tempfile.mkdtemp(dir=target.parent, prefix=".part-"))
    for folder in folders:
        shutil.copytree(folder, partial / folder.name, symlinks=True)
    for path in (partial, *partial.rglob("*")):
        if not path.is_symlink():
            runs = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            path.chmod(0o755 if runs else 0o644)
    try:
        partial.rename(target)
    except OSError:
        shutil.rmtree(partial)
        if not target.exists():
            raise
