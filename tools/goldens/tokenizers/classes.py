"""Writes tokenizer/classes.txt: which characters Hugging Face's tokenizers takes for letters, marks and so on.

Its parts follow different versions of Unicode, so the table is what the library itself does with each character.
"""
import pathlib
import sys

from tokenizers import Regex
from tokenizers import normalizers as n
from tokenizers import pre_tokenizers as p

CHARACTERS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]


def matches(pattern):
    split = p.Split(Regex(pattern), "removed")
    return lambda c: not split.pre_tokenize_str(chr(c))


def splits(pre):
    return lambda c: len(pre.pre_tokenize_str("a" + chr(c) + "a")) > 1


def becomes(norm, before="", after=None):
    return lambda c: norm.normalize_str(before + chr(c)) == (before + chr(c) if after is None else after(c))


def bert(**options):
    return n.BertNormalizer(**({"clean_text": False, "handle_chinese_chars": False, "strip_accents": False, "lowercase": False} | options))


def unsplit(pre):
    return lambda c: not splits(pre)(c)


# The order is that of the constants in classes.go.
CLASSES = [
    matches(r"\p{L}"), matches(r"\p{M}"), matches(r"\p{N}"), matches(r"\p{P}"), matches(r"\p{S}"),
    matches(r"[\p{Lu}\p{Lt}]"), matches(r"\p{Ll}"), matches(r"[\p{Lm}\p{Lo}]"),
    splits(p.WhitespaceSplit()),
    unsplit(p.Whitespace()),
    splits(p.Digits(individual_digits=True)),
    splits(p.Punctuation()),
    becomes(bert(clean_text=True), after=lambda c: ""),
    becomes(bert(strip_accents=True), after=lambda c: ""),
    becomes(n.StripAccents(), after=lambda c: ""),
    becomes(n.NFD(), before="\u0345", after=lambda c: chr(c) + "\u0345"),
    lambda c: n.NFKD().normalize_str(chr(c)) != chr(c),
    matches(r"\w"), matches(r"\d"), matches(r"\p{Lt}"), matches(r"\p{Lm}"),
]


def main(path):
    lines, last = [], None
    for c in CHARACTERS:
        bits = sum(1 << i for i, f in enumerate(CLASSES) if f(c))
        if bits != last:
            lines.append(f"{c:X} {bits:X}")
            last = bits
    lower = n.Lowercase()
    for c in CHARACTERS:
        to = lower.normalize_str(chr(c))
        if len(to) == 1 and to not in (chr(c), chr(c).lower()):
            lines.append(f"lower {c:X} {ord(to):X}")
    pathlib.Path(path).write_text("\n".join(lines) + "\n")


main(sys.argv[1])
