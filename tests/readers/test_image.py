"""Images: a page each, as a person sees it; OCR alone reads them; bombs and cut files are refused before unpacking."""

import base64
import io
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from shared.errors import RefusedFile
from shared.readers.image import frames
from shared.readers.image.document import open_image
from shared.readers.registry import recognise
from shared.rereading.image import ImageReader

ROTATED = 6  # EXIF: the camera was held so that the picture has to be turned right.
ORIENTATION = 0x0112

# 64 by 64 pixels, black on the left, as a phone writes them: nothing here can encode HEVC.
HEIC = base64.b64decode(
    "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAVZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9j"
    "AAAAAERAAAEAAQAAAAABegABAAAAAAAAABsAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAAA5waXRtAAAAAAABAAAA1mlw"
    "cnAAAAC3aXBjbwAAAHhodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQArQgEBA3AA"
    "AAMAkAAAAwAAAwAeoCCBBZbqSSmubgIaDAgAAAMAyAAAAwAIQGIAAQAHRAHBcrAiQAAAABNjb2xybmNseAABAA0ABoAAAAAUaXNwZQAAAAAA"
    "AABAAAAAQAAAABBwaXhpAAAAAAMICAgAAAAXaXBtYQAAAAAAAAABAAEEgQIDBAAAACNtZGF0AAAAFygBr1j4gZJf//rn63pb+2C1ZODz7r4G"
)


def half_black(size: tuple[int, int] = (400, 200), mode: str = "RGB") -> Image.Image:
    """Black on the left, white on the right."""
    picture = Image.new("RGB", size, "white")
    ImageDraw.Draw(picture).rectangle((0, 0, size[0] // 2 - 1, size[1]), fill="black")
    return picture.convert(mode)


def shade(path: Path, x: float, y: float, page: int = 1) -> int:
    """The grey at a place in 0..1 of the page as it is displayed."""
    with open_image(path, None) as source, Image.open(io.BytesIO(source.render_page(page).image)) as shown:
        level = shown.convert("L").getpixel((int(x * shown.width), int(y * shown.height)))
    assert isinstance(level, int)
    return level


@pytest.mark.parametrize("kind", [one for one in frames.KINDS if one != "HEIF"])
def test_each_kind_is_a_page_without_text_that_ocr_reads(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"scan.{kind.lower()}"
    half_black().save(path, kind)
    assert recognise(path).source_type == "image"
    with open_image(path, None) as source, ImageReader(path) as second:
        page = source.read_page(1)
        assert (source.page_count, page.route, page.fragments) == (1, "ocr", [])
        assert second.glyphs(1, False) == []
    assert shade(path, 0.25, 0.5) < 30
    assert shade(path, 0.75, 0.5) > 225


def test_pages_of_a_tiff_are_pages_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "x.tif"
    pages = [half_black(), Image.new("1", (300, 300), 1), Image.new("L", (100, 100), 128)]
    pages[0].save(path, save_all=True, append_images=pages[1:])
    with open_image(path, None) as source:
        assert source.page_count == 3
    assert [shade(path, 0.25, 0.5, page) // 64 for page in (1, 2, 3)] == [0, 3, 2]


@pytest.mark.parametrize("packed", ["group4", "tiff_lzw", "tiff_adobe_deflate"])
def test_scanners_ways_to_pack_a_tiff_are_read(tmp_path: Path, packed: str) -> None:
    path = tmp_path / "x.tif"
    half_black(mode="1").save(path, compression=packed)
    assert shade(path, 0.25, 0.5) < 30
    assert shade(path, 0.75, 0.5) > 225


def test_a_picture_is_turned_as_the_camera_was_held(tmp_path: Path) -> None:
    path = tmp_path / "x.jpg"
    exif = Image.Exif()
    exif[ORIENTATION] = ROTATED
    half_black().save(path, exif=exif)
    with open_image(path, None) as source:
        page = source.read_page(1)
        assert page.height_pt == pytest.approx(2 * page.width_pt)
    assert shade(path, 0.5, 0.25) < 30
    assert shade(path, 0.5, 0.75) > 225


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize(("held", "size"), [(1, (400, 200)), (3, (400, 200)), (ROTATED, (200, 400)), (8, (200, 400))])
def test_the_size_of_a_picture_is_that_of_the_turned_one(kind: str, held: int, size: tuple[int, int]) -> None:
    exif, file = Image.Exif(), io.BytesIO()
    exif[ORIENTATION] = held
    half_black().save(file, kind, exif=exif)
    assert frames.size_of(file.getvalue()) == size


def test_a_picture_is_not_unpacked_for_its_size() -> None:
    assert frames.size_of(png_of(700, 500)) == (700, 500)


def test_what_is_transparent_is_paper(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    Image.new("RGBA", (50, 50), (0, 0, 0, 0)).save(path)
    assert shade(path, 0.5, 0.5) > 225


def test_sixteen_bits_a_pixel_keep_their_contrast(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    picture = Image.new("I;16", (40, 40), 60_000)
    picture.paste(1_000, (0, 0, 20, 40))
    picture.save(path)
    assert shade(path, 0.2, 0.5) < 40
    assert shade(path, 0.8, 0.5) > 215


def test_a_page_has_the_size_that_the_scanner_says(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    half_black((600, 300)).save(path, dpi=(300, 300))
    with open_image(path, None) as source:
        page = source.read_page(1)
    assert (page.width_pt, page.height_pt) == pytest.approx((144, 72), rel=0.01)


def png_of(width: int, height: int) -> bytes:
    """A file that says this size and has hardly any bytes."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")]
    packed = (struct.pack(">I", len(d)) + n + d + struct.pack(">I", zlib.crc32(n + d)) for n, d in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


@pytest.mark.parametrize("size", [(9_000, 9_000), (50_000, 50_000), (70_000, 1)])
def test_a_bomb_is_refused_by_the_size_that_it_says(tmp_path: Path, size: tuple[int, int]) -> None:
    path = tmp_path / "x.png"
    path.write_bytes(png_of(*size))
    with pytest.raises(RefusedFile, match="million pixels; save it smaller"):
        open_image(path, None)


def test_a_tiff_of_too_many_pages_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MAX_PAGES", 2)
    path = tmp_path / "x.tif"
    page = Image.new("1", (8, 8))
    page.save(path, save_all=True, append_images=[page, page])
    with pytest.raises(RefusedFile, match="more than 2 pages; divide it"):
        open_image(path, None)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "GIF", "WEBP"])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    stream = io.BytesIO()
    Image.effect_noise((300, 300), 80).save(stream, kind)
    path.write_bytes(stream.getvalue()[: len(stream.getvalue()) // 2])
    with pytest.raises(RefusedFile, match="damaged or cut off"), open_image(path, None) as source:
        source.read_page(1)


def test_a_picture_of_a_phone_is_a_page_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "IMG_1.jpg"
    path.write_bytes(HEIC)
    assert recognise(path).source_type == "image"
    assert shade(path, 0.1, 0.5) < 30
    assert shade(path, 0.9, 0.5) > 225


@pytest.mark.parametrize("cut", [40, 200, 380])
def test_a_cut_picture_of_a_phone_is_refused(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "x.heic"
    path.write_bytes(HEIC[:cut])
    with pytest.raises(RefusedFile, match="damaged or cut off"), open_image(path, None) as source:
        source.read_page(1)
