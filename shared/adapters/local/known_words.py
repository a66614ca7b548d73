"""Which of a text's words an embedder can have learnt, by what its tokenizer makes of them.

A model's vocabulary holds pieces of the languages that it was trained with. A word of another script falls apart into
single letters or is unknown as a whole; its vector says nothing.
"""

from collections import defaultdict

from tokenizers import Tokenizer

# Shorter words are letters in every language: TF-7, Q3.
SHORTEST = 3
# Hiragana to the last ideograph: one character is a word or a part of one, and not a letter of it.
IDEOGRAPHS = range(0x3040, 0xA000)


def share_of_known_words(tokenizer: Tokenizer, text: str) -> float:
    """The share, 0 to 1, of the words of `text` that have most letters in pieces of two letters and more.

    Ideographs, numbers and words of one or two letters are only counted where the tokenizer does not know them at all.
    1 where nothing is counted.
    """
    encoding = tokenizer.encode(text, add_special_tokens=False)
    letters: defaultdict[int | None, int] = defaultdict(int)
    joined: defaultdict[int | None, int] = defaultdict(int)
    unknown: set[int | None] = set()
    for word, token, (start, end) in zip(encoding.word_ids, encoding.tokens, encoding.offsets, strict=True):
        piece = [c for c in text[start:end] if c.isalpha()]
        if piece and token in {"[UNK]", "<unk>"}:
            unknown.add(word)
            continue
        spelt = sum(ord(c) not in IDEOGRAPHS for c in piece)
        letters[word] += spelt
        joined[word] += spelt if spelt > 1 else 0
    counted = {word for word, count in letters.items() if count >= SHORTEST} | unknown
    known = [word for word in counted - unknown if 2 * joined[word] >= letters[word]]
    return len(known) / len(counted) if counted else 1.0
