"""Calls of package fft. See samples.py."""

from calls import Call, Skip, given, listed


def one(op):
    def call(x, n=None, dim=-1, norm=None):
        return Call(op, x, lengths=[] if n is None else [n], axes=[dim], norm=norm or "backward")

    return call


def several(op, axes=None):
    """Transforms of several axes: the last ones if lengths alone are given, else all, or those named."""

    def call(x, s=None, dim=axes, norm=None):
        if dim is None and s is not None:
            dim = range(-len(s), 0)
        return Call(op, x, lengths=[] if s is None else list(s), axes=[] if dim is None else listed(dim), norm=norm or "backward")

    return call


def shift(op):
    def call(x, dim=None):
        return Call(op, x, axes=[] if dim is None else listed(dim))

    return call


def stft(x, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect", normalized=False, onesided=None, return_complex=None, align_to_window=None):
    if align_to_window is not None:
        raise Skip("option align_to_window")
    two = x.is_complex() if onesided is None else not onesided
    y = Call("fft.STFT", x, *given(window), n=n_fft, hop=hop_length or 0, width=win_length or 0, uncentered=not center, padding=pad_mode, normalized=bool(normalized), twoSided=two)
    return y if return_complex or return_complex is None and x.is_complex() else Call("ViewAsReal", y)


def istft(x, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None, length=None, return_complex=False):
    places = x.shape[-2] if x.is_complex() else x.shape[-3]
    two = n_fft == places if onesided is None else not onesided
    return Call("fft.ISTFT", x if x.is_complex() else Call("ViewAsComplex", x), *given(window), n=n_fft, hop=hop_length or 0, width=win_length or 0, uncentered=not center, normalized=bool(normalized), twoSided=two and n_fft > 1, complex=return_complex, length=length or 0)


CALLS = {
    **{f"fft.{n}": one(f"fft.{n.upper()}") for n in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")},
    **{f"fft.{n}2": several(f"fft.{n.upper()}2", (-2, -1)) for n in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")},
    **{f"fft.{n}n": several(f"fft.{n.upper()}N") for n in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")},
    "fft.fftshift": shift("fft.FFTShift"), "fft.ifftshift": shift("fft.IFFTShift"), "stft": stft, "istft": istft,
}
