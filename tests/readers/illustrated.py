"""Word texts, slides and other sources with pictures in them, and pictures to put there."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from PIL import Image

from tests.readers.scans import lines, typed_page
from tests.readers.test_docx import STYLES, R, relations, root
from tests.readers.test_pptx import SPACES, slide

EMU_PT = 12_700
INVOICE = ["Invoice 4711 of Tarnwick Pumps", "Two impellers, forged steel", "Amount due: 318.40 EUR"]
EMF = b"\x01\0\0\0" + b"\0" * 36 + b" EMF" + b"\0" * 200


def png(width: int = 300, height: int = 200, shade: int = 90) -> bytes:
    """A picture of one colour; other shades are other pictures."""
    stream = io.BytesIO()
    Image.new("RGB", (width, height), (shade, 120, 160)).save(stream, "PNG")
    return stream.getvalue()


def scanned(*said: str) -> bytes:
    """A JPEG of a scanned page with these lines."""
    with typed_page(lines(said or INVOICE)) as page:
        return page[0].get_pixmap(dpi=200).tobytes("jpeg")


def drawing(reference: str, width: float = 300, height: float = 200, described: str = "") -> str:
    """A run of a Word text with a picture of this size in points."""
    extent = f'<wp:extent cx="{int(width * EMU_PT)}" cy="{int(height * EMU_PT)}"/>'
    blip = f'<a:graphic><pic:pic><pic:blipFill><a:blip r:embed="r{reference}"/></pic:blipFill></pic:pic></a:graphic>'
    inner = f'{extent}<wp:docPr id="1" name="P" descr="{described}"/>{blip}'
    return f"<w:r><w:drawing><wp:inline>{inner}</wp:inline></w:drawing></w:r>"


def write_docx(path: Path, body: str, media: Mapping[str, bytes], away: tuple[str, ...] = ()) -> Path:
    """`media` are files in the container, which the text refers to as `media/NAME`; `away` are addresses."""
    named = {f"media/{name}": "image" for name in media}
    links = relations({"styles.xml": "styles", **named})
    outside = "".join(
        f'<Relationship Id="r{one}" Type="{R}/image" Target="{one}" TargetMode="External"/>' for one in away
    )
    spaces = f'xmlns:r="{R}" xmlns:wp="urn:wp" xmlns:a="urn:a" xmlns:pic="urn:pic" xmlns:v="urn:v"'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as container:
        container.writestr("_rels/.rels", relations({"word/document.xml": "officeDocument"}))
        container.writestr("word/document.xml", root("document", f"<w:body {spaces}>{body}</w:body>"))
        container.writestr("word/_rels/document.xml.rels", links.replace("</R", f"{outside}</R"))
        container.writestr("word/styles.xml", root("styles", STYLES))
        for name, data in media.items():
            container.writestr(f"word/media/{name}", data)
    return path


def pic(reference: str, width: float = 300, height: float = 200, described: str = "") -> str:
    """A picture on a slide."""
    said = f'<p:nvPicPr><p:cNvPr id="4" name="P" descr="{described}"/></p:nvPicPr>'
    size = f'<a:ext cx="{int(width * EMU_PT)}" cy="{int(height * EMU_PT)}"/>'
    blip = f'<p:blipFill><a:blip r:embed="r../media/{reference}"/></p:blipFill>'
    return f"<p:pic>{said}{blip}<p:spPr><a:xfrm>{size}</a:xfrm></p:spPr></p:pic>"


def write_pptx(path: Path, *slides: str, media: Mapping[str, bytes]) -> Path:
    """Slides of 720 by 540 points, in this order."""
    listed = "".join(f'<p:sldId id="1" r:id="rslides/slide{n}.xml"/>' for n in range(1, len(slides) + 1))
    size = f'<p:sldSz cx="{720 * EMU_PT}" cy="{540 * EMU_PT}"/>'
    with zipfile.ZipFile(path, "w") as container:
        container.writestr("_rels/.rels", relations({"ppt/presentation.xml": "officeDocument"}))
        container.writestr("ppt/presentation.xml", f"<p:p {SPACES}><p:sldIdLst>{listed}</p:sldIdLst>{size}</p:p>")
        named = {f"slides/slide{n}.xml": "slide" for n in range(1, len(slides) + 1)}
        container.writestr("ppt/_rels/presentation.xml.rels", relations(named))
        links = relations({f"../media/{name}": "image" for name in media})
        for number, inner in enumerate(slides, 1):
            container.writestr(f"ppt/slides/slide{number}.xml", slide("sld", inner))
            container.writestr(f"ppt/slides/_rels/slide{number}.xml.rels", links)
        for name, data in media.items():
            container.writestr(f"ppt/media/{name}", data)
    return path
