"""Compressed RTF, as Outlook stores a body (MS-OXRTFCP)."""

from typing import Final

MOST_BYTES: Final = 50_000_000
_HEADER: Final = 16
_STORED: Final = b"MELA"
_WINDOW: Final = 4096
_FIRST: Final = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS"
    b" Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0"
    b"\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u"
    b"\\tab\\tx"
)


def decompress_rtf(data: bytes) -> bytes:
    """The RTF, as far as the data goes; at most MOST_BYTES of it."""
    if data[8:12] == _STORED:
        return data[_HEADER:]
    window = bytearray(_FIRST.ljust(_WINDOW, b"\0"))
    write, at = len(_FIRST), _HEADER
    found = bytearray()
    while at < len(data) and len(found) < MOST_BYTES:
        flags = data[at]
        at += 1
        for bit in range(8):
            if flags >> bit & 1:
                if at + 2 > len(data):
                    return bytes(found)
                token = int.from_bytes(data[at : at + 2], "big")
                at += 2
                read, length = token >> 4, (token & 15) + 2
                if read == write % _WINDOW:
                    return bytes(found)
                said = bytes(window[(read + index) % _WINDOW] for index in range(min(length, (write - read) % _WINDOW)))
                said = (said * length)[:length]
            else:
                said = data[at : at + 1]
                at += 1
            for byte in said:
                window[write % _WINDOW] = byte
                write += 1
            found += said
    return bytes(found)
