from pathlib import Path

from functions.cli.paths import expand


def write(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")
    return path


def test_a_folder_means_the_readable_files_below_it(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a.pdf"), write(tmp_path / "deep/er/B.PDF")
    write(tmp_path / "notes.mp3")
    for name in (".hidden/c.pdf", "deep/~$B.pdf", "desktop.ini"):
        write(tmp_path / name)
    assert expand([str(tmp_path)]) == ([first, second], 1, {first: "a.pdf", second: "deep/er/B.PDF"})


def test_a_file_named_outright_stays_whatever_it_is(tmp_path: Path) -> None:
    named = write(tmp_path / "notes.txt")
    missing = tmp_path / "missing.pdf"
    assert expand([str(named), str(missing)]) == ([named, missing], 0, {})


def test_a_pattern_is_expanded_where_the_shell_did_not(tmp_path: Path) -> None:
    files = [write(tmp_path / f"{n}.pdf") for n in (1, 2)]
    write(tmp_path / "3.txt")
    assert expand([str(tmp_path / "*.pdf")])[0] == files
    nothing = str(tmp_path / "*.xyz")
    assert expand([nothing])[0] == [Path(nothing)]


def test_a_name_with_pattern_characters_is_a_file_where_it_exists(tmp_path: Path) -> None:
    odd = write(tmp_path / "rules[2026].pdf")
    assert expand([str(odd)])[0] == [odd]


def test_the_same_file_twice_is_one_file(tmp_path: Path) -> None:
    file = write(tmp_path / "a.pdf")
    assert expand([str(file), str(tmp_path), str(file)])[0] == [file]
