"""PDFs that no writer would write, byte by byte."""

CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
FONT = b"<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources%s%s>>"
HELLO = b"BT /F 12 Tf 20 100 Td (Hello page) Tj ET"
ONE_PAGE = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
FADE = (
    b"<</Shading<</S<</ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 200 200]/Extend[true true]"
    b"/Function<</FunctionType 2/Domain[0 1]/C0[1 0 0]/C1[0 0 1]/N 1>>>>>>>>"
)


def pdf(
    pages: bytes = ONE_PAGE,
    content: bytes = HELLO,
    resources: bytes = FONT,
    entries: bytes = b"",
    more: tuple[bytes, ...] = (),
) -> bytes:
    """A file whose object 2 is the root of its `pages`, 3 its page (with further `entries`), 4 what stands on it, and
    5 and above what is given as `more`; the offsets are right."""
    stream = b"<</Length %d>>stream\n%s\nendstream" % (len(content), content)
    written, offsets = b"%PDF-1.7\n", list[int]()
    for number, value in enumerate((CATALOG, pages, PAGE % (resources, entries), stream, *more), 1):
        offsets.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, value)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
    trailer = b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(offsets) + 1, len(written))
    return written + head + table + trailer
