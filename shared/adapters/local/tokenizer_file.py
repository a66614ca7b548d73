"""Counts tokens by a tokenizer's own file, `tokenizer.json` as Hugging Face's library writes it."""

from pathlib import Path

from shared.errors import BadInput


class TokenizerFile:
    """The tokenizer in a file; its `name` is the file's."""

    def __init__(self, path: Path) -> None:
        """Raises BadInput for what is no such file."""
        from tokenizers import Tokenizer

        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # noqa: BLE001 the library raises nothing more exact
            raise BadInput(f"AUTRI_TOKENIZER names {path}, which is no tokenizer.json: {error}") from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.name = path.name

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)
