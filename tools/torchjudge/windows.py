"""Calls of convolutions, pools, resampling and embeddings of package nn. See samples.py."""

from calls import Call, Skip, given, listed, number


def conv(spatial):
    def call(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        attrs = {"stride": listed(stride), "dilation": listed(dilation), "groups": groups}
        attrs |= {"same": padding == "same"} if isinstance(padding, str) else {"padding": listed(padding)}
        return Call(f"nn.Conv{spatial}d", x, weight, *given(bias), **attrs)

    return call


def conv_transpose(spatial):
    def call(x, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
        return Call(f"nn.ConvTranspose{spatial}d", x, weight, *given(bias), stride=listed(stride), padding=listed(padding), more=listed(output_padding), groups=groups, dilation=listed(dilation))

    return call


def spread(v, spatial):
    """Sizes of spatial axes, of which one may stand for all."""
    return listed(v) * (spatial if len(listed(v)) == 1 else 1)


def max_pool(spatial):
    def call(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        window = spread(kernel_size, spatial)
        return Call("nn.MaxPool", x, window=window, stride=listed(stride) if stride else window, padding=listed(padding), dilation=listed(dilation), ceil=ceil_mode, outputs=None if return_indices else 1)

    return call


def avg_pool(spatial):
    def call(x, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
        window = spread(kernel_size, spatial)
        return Call("nn.AvgPool", x, window=window, stride=listed(stride) if stride else window, padding=listed(padding), ceil=ceil_mode, excludePad=not count_include_pad, divisor=divisor_override or 0)

    return call


def adaptive(op, spatial):
    def call(x, output_size, return_indices=True):
        given = listed(output_size) if isinstance(output_size, (int, tuple, list)) else [output_size]
        sizes = given * (spatial if len(given) == 1 else 1)
        sizes = [x.shape[i - spatial] if n is None else n for i, n in enumerate(sizes)]
        return Call(op, x, sizes=sizes, outputs=None if return_indices else 1)

    return call


def max_unpool(spatial):
    def call(x, indices, kernel_size, stride=None, padding=0, output_size=None):
        if output_size is None:
            raise Skip("sizes that follow from the window: they are given here")
        return Call("nn.MaxUnpool", x, indices, sizes=list(output_size)[-spatial:])

    return call


MODES = {"nearest": "nearest", "nearest-exact": "nearest-exact", "area": "area", "linear": "linear", "bilinear": "linear", "trilinear": "linear", "bicubic": "cubic"}


def interpolate(x, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None, antialias=False):
    attrs = {"mode": MODES[mode], "alignCorners": bool(align_corners), "antialias": antialias, "recompute": bool(recompute_scale_factor)}
    if size is not None:
        return Call("nn.Interpolate", x, sizes=listed(size) * (x.dim() - 2 if isinstance(size, int) else 1), **attrs)
    factors = {scale_factor} if number(scale_factor) else set(scale_factor)
    if len(factors) > 1:
        raise Skip("a scale for each axis")
    return Call("nn.Interpolate", x, scale=float(factors.pop()), **attrs)


def upsample(mode, align_corners):
    return lambda x, size=None, scale_factor=None: interpolate(x, size, scale_factor, mode, align_corners)


def upsample_aa(x, output_size, align_corners, scales_h=None, scales_w=None):
    if scales_h is not None or scales_w is not None:
        raise Skip("a scale for each axis")
    return Call("nn.Interpolate", x, sizes=list(output_size), mode="linear", alignCorners=align_corners, antialias=True)


BORDERS = ["zeros", "border", "reflection"]


def grid_sample(x, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    return Call("nn.GridSample", x, grid, mode={"bilinear": "linear", "nearest": "nearest", "bicubic": "cubic"}[mode], padding=padding_mode, alignCorners=bool(align_corners))


def grid_sampler(x, grid, mode, padding, align_corners):
    return grid_sample(x, grid, ["bilinear", "nearest", "bicubic"][mode], BORDERS[padding], align_corners)


def unfold(x, kernel_size, dilation=1, padding=0, stride=1):
    return Call("nn.Unfold", x, window=spread(kernel_size, 2), dilation=listed(dilation), padding=listed(padding), stride=listed(stride))


def row(padding_idx):
    return [] if padding_idx is None else [padding_idx]


def embedding(weight, indices, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    if max_norm is not None:
        raise Skip("option max_norm, which writes the weight")
    y = Call("nn.Embedding", weight, indices, padding=row(padding_idx))
    y.differentiable = not scale_grad_by_freq and not sparse  # which change the gradient alone
    return y


def embedding_bag(weight, indices, offsets=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode="mean", sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
    if max_norm is not None:
        raise Skip("option max_norm, which writes the weight")
    if include_last_offset:
        offsets = Call("Narrow", offsets, axis=0, start=0, length=len(offsets) - 1)
    attrs = {"mode": mode, "padding": row(padding_idx)}
    if offsets is None:
        y = Call("nn.EmbeddingBag", weight, indices, *given(per_sample_weights), **attrs)
    else:
        y = Call("nn.EmbeddingBagOffsets", weight, indices, offsets, *given(per_sample_weights), **attrs)
    y.differentiable = not scale_grad_by_freq and not sparse  # which change the gradient alone
    return y


CALLS = {
    **{f"nn.functional.conv{d}d": conv(d) for d in (1, 2, 3)}, **{f"nn.functional.conv_transpose{d}d": conv_transpose(d) for d in (1, 2, 3)},
    **{f"nn.functional.max_pool{d}d": max_pool(d) for d in (1, 2, 3)}, **{f"nn.functional.avg_pool{d}d": avg_pool(d) for d in (1, 2, 3)},
    **{f"nn.functional.adaptive_avg_pool{d}d": adaptive("nn.AdaptiveAvgPool", d) for d in (1, 2, 3)}, **{f"nn.functional.adaptive_max_pool{d}d": adaptive("nn.AdaptiveMaxPool", d) for d in (1, 2, 3)},
    **{f"nn.functional.max_unpool{d}d": max_unpool(d) for d in (1, 2, 3)}, **{f"nn.functional.max_unpool{d}d.grad": max_unpool(d) for d in (1, 2, 3)},
    **{f"nn.functional.interpolate.{m}": interpolate for m in MODES}, "nn.functional.interpolate.nearest_exact": interpolate, "nn.functional.upsample_nearest": upsample("nearest", None), "nn.functional.upsample_bilinear": upsample("bilinear", True),
    "_upsample_bilinear2d_aa": upsample_aa, "nn.functional.grid_sample": grid_sample, "grid_sampler_2d": grid_sampler, "grid_sampler_3d": grid_sampler,
    "nn.functional.pixel_shuffle": lambda x, upscale_factor: Call("nn.PixelShuffle", x, factor=upscale_factor), "nn.functional.pixel_unshuffle": lambda x, downscale_factor: Call("nn.PixelUnshuffle", x, factor=downscale_factor),
    "nn.functional.channel_shuffle": lambda x, n: Call("nn.ChannelShuffle", x, groups=n), "nn.functional.unfold": unfold,
    "nn.functional.embedding": embedding, "nn.functional.embedding_bag": embedding_bag,
}
