"""Writes the tokenizers and lines that package tokenizer is tested with to tokenizer/testdata.

The tokenizers are trained on lines of lines.py. The lines come with what Hugging Face's tokenizers says of them.
"""
import collections
import gzip
import json
import pathlib
import sys
import zlib

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from lines import lines


def wordpiece():
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer()
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    yield t, trainers.WordPieceTrainer(vocab_size=1500, special_tokens=special, limit_alphabet=300)
    t.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [(x, t.token_to_id(x)) for x in ("[CLS]", "[SEP]")])
    t.add_tokens([AddedToken("sokol", single_word=True), AddedToken("Straße", normalized=True)])


def bpe():
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    t.post_processor = processors.ByteLevel(trim_offsets=True)
    yield t, trainers.BpeTrainer(vocab_size=1200, special_tokens=["<|endoftext|>", "<s>", "</s>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    t.add_tokens([AddedToken("<mask>", lstrip=True, special=True), AddedToken("<end>", rstrip=True)])


def unigram():
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    t.pre_tokenizer = pre_tokenizers.Metaspace()
    t.decoder = decoders.Metaspace()
    yield t, trainers.UnigramTrainer(vocab_size=900, special_tokens=["<pad>", "<s>", "</s>", "<unk>"], unk_token="<unk>")
    t.post_processor = processors.TemplateProcessing("$A </s>", "$A </s> $B </s>", [("</s>", t.token_to_id("</s>"))])


def plain(corpus):
    """The lines of frequent characters: a Unigram vocabulary has all that it is trained on."""
    frequent = {c for c, _ in collections.Counter("".join(corpus)).most_common(400)}
    return [x for x in corpus if set(x) <= frequent]


def golden(t, text):
    """The ids, and a checksum of the ends of tokens in bytes and of the text of the ids."""
    e = t.encode(text)
    at = [0]
    for c in text:
        at.append(at[-1] + len(c.encode()))
    rest = [at[x] for pair in e.offsets for x in pair]
    return [e.ids, zlib.crc32(" ".join([*map(str, rest), t.decode(e.ids)]).encode())]


def main(folder):
    folder = pathlib.Path(folder)
    corpus = lines(1, 6000)
    texts = lines(2, 2000, most=5)
    tokenizers = {}
    for name, steps in {"wordpiece": wordpiece(), "bpe": bpe(), "unigram": unigram()}.items():
        t, trainer = next(steps)
        trainer.show_progress = False
        t.train_from_iterator(plain(corpus) if name == "unigram" else corpus, trainer)
        next(steps, None)
        t.save(str(folder / f"{name}.json"), pretty=False)
        tokenizers[name] = t
    with gzip.GzipFile(folder / "lines.jsonl.gz", "wb", mtime=0) as f:
        for text in texts:
            f.write((json.dumps([text] + [golden(t, text) for t in tokenizers.values()], ensure_ascii=False, separators=(",", ":")) + "\n").encode())


main(sys.argv[1])
