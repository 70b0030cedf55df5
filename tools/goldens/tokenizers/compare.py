"""Compares package tokenizer with Hugging Face's tokenizers: compare.py PROGRAM NUMBER SEED TOKENIZER.json ...

PROGRAM is the built main.go. The texts are random lines of lines.py.
"""
import random
import struct
import subprocess
import sys
import tempfile

from tokenizers import Tokenizer

from lines import line


def texts(seed, n):
    r = random.Random(seed)
    for i in range(n):
        yield line(r, 12 if i % 1000 else 300)


def main(program, number, seed, *paths):
    failed = False
    for path in paths:
        t = Tokenizer.from_file(path)
        t.no_padding()
        t.no_truncation()
        different, decoded, spans, total, shown = 0, 0, 0, int(number), 0
        for first in range(0, total, 20000):
            some = list(texts(int(seed) + first, min(20000, total - first)))
            with tempfile.TemporaryFile() as f:
                for x in some:
                    b = x.encode()
                    f.write(struct.pack("<I", len(b)) + b)
                f.seek(0)
                out = subprocess.run([program, path], stdin=f, stdout=subprocess.PIPE, check=True).stdout
            at = 0
            for x, e in zip(some, t.encode_batch(some)):
                (n,) = struct.unpack_from("<I", out, at)
                got = struct.unpack_from(f"<{3 * n}I", out, at + 4)
                at += 4 + 12 * n
                (n,) = struct.unpack_from("<I", out, at)
                back = out[at + 4 : at + 4 + n].decode()
                at += 4 + n
                place = [0]
                for c in x:
                    place.append(place[-1] + len(c.encode()))
                want = [(place[a], place[b]) for a, b in e.offsets]
                bad = list(got[::3]) != e.ids
                off = not bad and list(zip(got[1::3], got[2::3])) != want
                text = not bad and back != t.decode(e.ids, skip_special_tokens=False)
                different, spans, decoded = different + bad, spans + off, decoded + text
                if (bad or off or text) and shown < 5:
                    shown += 1
                    print(path, ascii(x), "\n  ids", list(got[::3]), e.ids, "\n  offsets", list(zip(got[1::3], got[2::3])), want, "\n  text", ascii(back), ascii(t.decode(e.ids, skip_special_tokens=False)), "\n  tokens", e.tokens)
        failed |= different + spans + decoded > 0
        print(f"{path}: {total} texts, {different} with other ids, {spans} with other offsets, {decoded} decoded differently", flush=True)
    sys.exit(failed)


main(*sys.argv[1:])
