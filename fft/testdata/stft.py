"""Writes stft.txt, what PyTorch computes for torch.stft and torch.istft, beside this file.

The version that wrote it stands in its first line. A case has the function, the kind and shape of its
input, as in golden.py, and its options. Lines with the result, the gradient of the input and that of
the window, if there is one, follow.
"""
import os

import torch

from golden import fill, text

MODES = ["reflect", "constant", "replicate", "circular"]
out = ["# PyTorch %s" % torch.__version__.split("+")[0]]


def case(name, kind, dims, n, hop=0, width=0, window="-", center=1, mode=0, norm=0, two=0, length=0, whole=0):
    x = fill(kind, dims, 0).requires_grad_()
    size = width or n
    w = None
    if window != "-":
        w = getattr(torch, window + "_window")(size, dtype=torch.float64).requires_grad_()
    options = dict(hop_length=hop or None, win_length=width or None, window=w, center=bool(center), normalized=bool(norm))
    if name == "stft":
        y = torch.stft(x, n, pad_mode=MODES[mode], onesided=not two and kind == "r", return_complex=True, **options)
    else:
        y = torch.istft(x, n, onesided=not two, length=length or None, return_complex=bool(whole), **options)
    y.backward(fill("c" if y.is_complex() else "r", y.shape, 1))
    out.append(" ".join([name, kind, ",".join(map(str, dims)), str(n), str(hop), str(width), window] + [str(v) for v in (center, mode, norm, two, length, whole)]))
    out.append("  [%s] %s" % (",".join(map(str, y.shape)), text(y.detach())))
    out.append("  d %s" % text(x.grad))
    if w is not None:
        out.append("  w %s" % text(w.grad))


for mode in range(4):
    case("stft", "r", (20,), 8, mode=mode, window="hann")
case("stft", "r", (2, 21), 8)
case("stft", "r", (2, 21), 7, hop=3, window="hamming", norm=1)
case("stft", "r", (20,), 8, hop=5, width=6, window="hann")
case("stft", "r", (20,), 8, hop=5, width=5)
case("stft", "r", (20,), 8, center=0, two=1, window="blackman")
case("stft", "c", (2, 20), 6, hop=2, window="hann", norm=1)
case("istft", "c", (5, 6), 8)
case("istft", "c", (2, 5, 6), 8, hop=4, window="hamming", norm=1)
case("istft", "c", (4, 5), 7, hop=3, window="hann")
case("istft", "c", (5, 6), 8, hop=3, width=6, window="hamming")
case("istft", "c", (5, 6), 8, window="hamming", length=9)
case("istft", "c", (5, 6), 8, window="hamming", length=30)
case("istft", "c", (5, 4), 8, hop=8, center=0)
case("istft", "c", (6, 5), 6, hop=2, window="hann", two=1)
case("istft", "c", (6, 5), 6, hop=2, window="hann", two=1, whole=1, norm=1)

open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "stft.txt"), "w").write("\n".join(out) + "\n")
