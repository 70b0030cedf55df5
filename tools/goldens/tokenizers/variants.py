"""Writes tokenizer/testdata/variants.jsonl.gz: small tokenizers of every kind of step, and what Hugging Face's tokenizers says of some lines and pairs."""
import gzip
import json
import pathlib
import struct
import sys

from tokenizers import Regex, Tokenizer, decoders, models, normalizers as n, pre_tokenizers as p, processors as q

from lines import lines

LLAMA = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
CL100K = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
QWEN = LLAMA.replace("{1,3}", "")
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
O200K = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
DEEPSEEK = [r"\p{N}{1,3}", r"[一-龥぀-ゟ゠-ヿ]+", r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"]

BYTES = sorted(p.ByteLevel.alphabet())
MERGES = [("Ġ", "t"), ("h", "e"), ("i", "n"), ("e", "r"), ("Ġt", "he"), ("s", "t"), ("i", "ng"), ("n", "g"), ("Ã", "©"), ("Ġ", "Ġ"), ("l", "l"), ("'", "s")]


def byte_bpe(**options):
    vocab = {x: i for i, x in enumerate(["<unk>", *BYTES])}
    for a, b in MERGES:
        vocab.setdefault(a + b, len(vocab))
    return models.BPE(vocab, MERGES, **options)


def words(*more):
    """A vocabulary that has whole pieces: each piece of the lines is a token, so that ids tell where they end."""
    return models.WordLevel({x: i for i, x in enumerate(dict.fromkeys(["<unk>", *more]))}, unk_token="<unk>")


def split(pattern, behavior="isolated", invert=False):
    return p.Split(Regex(pattern) if isinstance(pattern, str) else pattern, behavior, invert)


def spm_bpe():
    """BPE of characters with bytes for what is unknown, as Llama 2 has it."""
    chars = "▁abcdefghilmnoprstuv" + "éя東"
    vocab = {x: i for i, x in enumerate(["<unk>", "<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256)), *chars])}
    merges = [("▁", "t"), ("h", "e"), ("▁t", "he"), ("e", "n"), ("i", "n"), ("a", "n"), ("▁", "a"), ("▁", "▁"), ("▁▁", "▁▁")]
    for a, b in merges:
        vocab.setdefault(a + b, len(vocab))
    return models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)


def charsmap(strings):
    """A charsmap of SentencePiece: the size of a double-array trie, the trie in the format of Darts-clone, and what is written in the place of its strings."""
    texts, places = b"", {}
    for key, text in strings.items():
        places[key.encode()] = len(texts)
        texts += text.encode() + b"\0"
    units, used = [0] * 4096, {0}

    def place(node, keys):
        labels = sorted({k[:1] for k in keys})
        offset = next(o for o in range(1, 2000) if all((node ^ o ^ (x[0] if x else 0)) not in used for x in labels))
        units[node] |= offset << 10
        children = {x: node ^ offset ^ (x[0] if x else 0) for x in labels}
        used.update(children.values())
        for x, child in children.items():
            if not x:
                units[node] |= 1 << 8
                units[child] = 1 << 31 | keys[b""]
            else:
                units[child] = x[0]
                place(child, {k[1:]: v for k, v in keys.items() if k[:1] == x})

    place(0, places)
    size = max(used) + 256
    return struct.pack(f"<I{size}I", 4 * size, *units[:size]) + texts


CHARSMAP = charsmap({"ﬁ": "fi", "\t": " ", "e\u0301": "é", "½": "1⁄2", "ﬁ\u0301": "X", "\u1e9b\u0323": "ṩ", "u": "", "각": "가", "\u00a0": " ", "s": "ß", "12": "z"})


def variants():
    """Pairs of a name and a tokenizer. A model of None stands for one whose tokens are all pieces of the lines."""
    norms = {
        "nfc": n.NFC(), "nfd": n.NFD(), "nfkc": n.NFKC(), "nfkd": n.NFKD(), "lower": n.Lowercase(), "accents": n.Sequence([n.NFD(), n.StripAccents()]), "strip": n.Strip(), "lstrip": n.Strip(True, False), "rstrip": n.Strip(False, True),
        "nmt": n.Nmt(), "replace": n.Replace("e", "ee"), "regex": n.Replace(Regex(r"[\s\d]+"), "_"), "drop": n.Replace(Regex("[aeiou]"), ""), "prepend": n.Prepend("▁"), "bytes": n.ByteLevel(), "bert": n.BertNormalizer(), "cased": n.BertNormalizer(lowercase=False), "cased_accents": n.BertNormalizer(lowercase=False, strip_accents=True), "unclean": n.BertNormalizer(clean_text=False, handle_chinese_chars=False),
        "precompiled": n.Precompiled(CHARSMAP), "precompiled_nfc": n.Sequence([n.NFD(), n.Precompiled(CHARSMAP), n.NFC()]),
        "chain": n.Sequence([n.NFKD(), n.StripAccents(), n.Lowercase(), n.Replace(" ", "▁"), n.Prepend("▁▁"), n.NFC()]),
    }
    for name, x in norms.items():
        yield "normalizer " + name, None, x, None
    pres = {
        "bert": p.BertPreTokenizer(), "whitespace": p.Whitespace(), "whitespace_split": p.WhitespaceSplit(), "digits": p.Digits(), "each_digit": p.Digits(True), "delimiter": p.CharDelimiterSplit("e"), "fixed": p.FixedLength(3),
        "metaspace": p.Metaspace(), "metaspace_first": p.Metaspace(prepend_scheme="first"), "metaspace_never": p.Metaspace("_", "never"), "metaspace_whole": p.Metaspace(split=False), "byte_level": p.ByteLevel(), "byte_level_whole": p.ByteLevel(False, use_regex=False), "bytes_digits": p.Sequence([p.ByteLevel(False), p.Digits(True)]),
        "gpt2": split(GPT2), "llama": split(LLAMA), "cl100k": split(CL100K), "qwen": split(QWEN), "o200k": split(O200K), "deepseek": p.Sequence([split(x) for x in DEEPSEEK]), "words": split(r"\w+", "removed", True), "string": split("e", "merged_with_next"),
        "sequence": p.Sequence([p.WhitespaceSplit(), p.Metaspace(prepend_scheme="first"), p.Punctuation()]),
    }
    for b in ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"):
        pres["punctuation_" + b] = p.Punctuation(b)
        pres["split_" + b] = split(r"[\s\d]", b)
        pres["inverted_" + b] = split(r"\w", b, True)
    for name, x in pres.items():
        yield "pre-tokenizer " + name, None, None, x
    whole = p.ByteLevel(False)
    yield "bpe bytes", byte_bpe(), None, whole
    yield "bpe ignore_merges", byte_bpe(ignore_merges=True), None, p.Sequence([split(LLAMA), p.ByteLevel(False, use_regex=False)])
    yield "bpe after bytes", byte_bpe(), None, p.Sequence([p.ByteLevel(False), p.FixedLength(4)])
    yield "bpe normalized bytes", byte_bpe(unk_token="<unk>"), n.ByteLevel(), None
    yield "bpe fallback", spm_bpe(), n.Sequence([n.Prepend("▁"), n.Replace(" ", "▁")]), None
    yield "bpe suffix", models.BPE({x: i for i, x in enumerate(["<unk>", "t", "e", "n", "s", "i", "s</w>", "n</w>", "t</w>", "in</w>", "en</w>", "te"])}, [("i", "n</w>"), ("e", "n</w>"), ("t", "e")], unk_token="<unk>", end_of_word_suffix="</w>", fuse_unk=True), n.Lowercase(), p.Whitespace()
    yield "bpe prefix", models.BPE({x: i for i, x in enumerate(["<unk>", "t", "e", "##n", "##s", "##e", "##t", "te", "ten", "##en"])}, [("t", "##e"), ("te", "##n"), ("##e", "##n")], unk_token="<unk>", continuing_subword_prefix="##"), n.Lowercase(), p.Whitespace()
    yield "bpe no unknown", models.BPE({x: i for i, x in enumerate(["t", "e", "n", "s", "te", "en"])}, [("t", "e"), ("e", "n")]), None, None
    yield "wordpiece", models.WordPiece({x: i for i, x in enumerate(["[UNK]", "te", "##st", "##n", "##e", "l", "##o", "##la", "é", "##é", "12", "##3", "!"])}, unk_token="[UNK]", max_input_chars_per_word=9), n.Lowercase(), p.BertPreTokenizer()
    pieces = [("<unk>", 0.0), ("▁", -2.0), ("▁t", -2.5), ("t", -3.0), ("e", -2.0), ("en", -3.5), ("ten", -4.5), ("n", -3.0), ("s", -3.0), ("▁s", -4.0), ("a", -2.5), ("l", -3.0), ("la", -4.0), ("er", -4.0), ("1", -5.0), ("é", -6.0)]
    yield "unigram", models.Unigram(pieces, 0, False), n.NFKC(), p.Metaspace()
    yield "unigram fallback", models.Unigram(pieces + [(f"<0x{b:02X}>", -20.0) for b in range(256)], 0, True), None, p.Metaspace(prepend_scheme="first", split=False)


PROCESSORS = {
    "bpe bytes": q.Sequence([q.ByteLevel(), q.TemplateProcessing("<s> $A:1 </s>:2", "<s> $B:1 <s> $A:3 $A </s>", [("<s>", 1), ("</s>", 2)])]),
    "bpe ignore_merges": q.RobertaProcessing(("</s>", 2), ("<s>", 1)),
    "bpe after bytes": q.RobertaProcessing(("</s>", 2), ("<s>", 1), trim_offsets=False),
    "wordpiece": q.BertProcessing(("[SEP]", 2), ("[CLS]", 1)),
    "unigram": q.TemplateProcessing("$A </s>", "$A </s> $B:1 </s>:1", [("</s>", 2)]),
}
DECODERS = {
    "bpe bytes": decoders.ByteLevel(), "bpe ignore_merges": decoders.Sequence([decoders.ByteLevel(), decoders.Replace("t", "T"), decoders.Strip(" ", 1, 1)]), "bpe after bytes": decoders.ByteLevel(), "bpe normalized bytes": decoders.ByteLevel(),
    "bpe fallback": decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]), "bpe suffix": decoders.BPEDecoder(), "bpe no unknown": decoders.CTC("e", "t"),
    "wordpiece": decoders.WordPiece(), "unigram": decoders.Metaspace(), "unigram fallback": decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace(prepend_scheme="never")]),
}
LIMITS = {
    "bpe bytes": lambda t: (t.enable_truncation(12, strategy="longest_first"), t.enable_padding(direction="left", pad_id=3, pad_type_id=1, pad_token="!", pad_to_multiple_of=8)),
    "bpe ignore_merges": lambda t: t.enable_truncation(15, strategy="longest_first", direction="left"),
    "wordpiece": lambda t: (t.enable_truncation(9, strategy="longest_first"), t.enable_padding(length=11)),
}


def encoded(t, text, pair):
    e = t.encode(text, pair)
    offsets = []
    at = [[0], [0]]
    for k, s in enumerate((text, pair or "")):
        for c in s:
            at[k].append(at[k][-1] + len(c.encode()))
    for (a, b), s in zip(e.offsets, e.sequence_ids):
        offsets += [at[s or 0][a], at[s or 0][b]]
    out = [e.ids, offsets, e.tokens, e.type_ids, e.attention_mask, e.special_tokens_mask, [-1 if w is None else w for w in e.word_ids], t.decode(e.ids, skip_special_tokens=False) if e.ids else ""]
    return out


def main(path):
    texts = lines(3, 12, most=6) + ["Don't stop: they'LL say 12345 ſ's \n\n x\t\ty  ", "e\u0301\u0344 \u1e9b\u0323 각 ﬁ", " \u00a0 lead", "tests  ten 123!é", "e\u0301lle ﬁ\u0301 ﬁ\u200d ½ 1\u1e9b\u0323", ""]
    with gzip.GzipFile(path, "wb", mtime=0) as f:
        for name, model, norm, pre in variants():
            if model is None:
                found = set()
                for x in texts:
                    s = norm.normalize_str(x) if norm else x
                    found |= {w for w, _ in (pre.pre_tokenize_str(s) if pre else [(s, None)])}
                model = words(*sorted(found))
            t = Tokenizer(model)
            if norm:
                t.normalizer = norm
            if pre:
                t.pre_tokenizer = pre
            if name in PROCESSORS:
                t.post_processor = PROCESSORS[name]
            if name in DECODERS:
                t.decoder = DECODERS[name]
            LIMITS.get(name, lambda t: None)(t)
            of = [[x, "", *encoded(t, x, None)] for x in texts]
            if name in PROCESSORS:
                of += [[x, y, *encoded(t, x, y)] for x, y in zip(texts, texts[1:]) if x and y]
            f.write((json.dumps([name, json.loads(t.to_str()), of], ensure_ascii=False, separators=(",", ":")) + "\n").encode())


main(sys.argv[1])
