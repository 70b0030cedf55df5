"""The models that export.py exports: written as JAX code usually is, in any
floating-point dtype that their arguments have.

A model is a Program: a function and its arguments, drawn from a fixed seed.
Floating-point arguments are float32; a copy of them in float64 gives the
reference.
"""

from dataclasses import dataclass
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


@dataclass(frozen=True)
class Program:
    """What is exported under a name."""

    function: Callable
    args: tuple  # pytrees of NumPy arrays
    # lower: jax.jit(f).lower(...).as_text(); locations: the same with
    # debug_info=True; export: jax.export, as written for serving, which
    # replaces most CHLO ops by what they stand for.
    via: str = "lower"
    donate: tuple = ()  # arguments whose memory results take over


def weight(rng, *shape):
    """A matrix or kernel, scaled so that what goes in and what comes out are
    of one size: the last dimension counts the outputs."""
    fan_in = int(np.prod(shape[:-1]))
    return (rng.standard_normal(shape) / np.sqrt(fan_in)).astype(np.float32)


def vector(rng, n, around=0.0):
    """A bias, scale or mean."""
    return (around + 0.1 * rng.standard_normal(n)).astype(np.float32)


def tensor(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


def layer_norm(x, scale, bias, epsilon=1e-5):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.var(x, axis=-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + epsilon) * scale + bias


# --- transformer


def encoder_weights(rng, d, hidden):
    return {
        "query": weight(rng, d, d),
        "key": weight(rng, d, d),
        "value": weight(rng, d, d),
        "out": weight(rng, d, d),
        "norm1": {"scale": vector(rng, d, 1), "bias": vector(rng, d)},
        "norm2": {"scale": vector(rng, d, 1), "bias": vector(rng, d)},
        "up": {"kernel": weight(rng, d, hidden), "bias": vector(rng, hidden)},
        "down": {"kernel": weight(rng, hidden, d), "bias": vector(rng, d)},
    }


def attention(p, x, heads, mask=None):
    """Multi-head self-attention of x [batch, sequence, d]; where mask is
    false a position is not looked at."""
    batch, seq, d = x.shape

    def split(w):
        return (x @ w).reshape(batch, seq, heads, d // heads)

    q, k, v = split(p["query"]), split(p["key"]), split(p["value"])
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(d // heads).astype(x.dtype)
    if mask is not None:
        scores = jnp.where(mask, scores, jnp.finfo(x.dtype).min)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), v)
    return mixed.reshape(batch, seq, d) @ p["out"]


def feed_forward(p, x, approximate):
    h = jax.nn.gelu(x @ p["up"]["kernel"] + p["up"]["bias"], approximate=approximate)
    return h @ p["down"]["kernel"] + p["down"]["bias"]


def encoder(p, x, valid):
    """Layer norm after each residual, as first published; padding is masked."""
    x = layer_norm(x + attention(p, x, 4, valid[:, None, None, :]), **p["norm1"])
    return layer_norm(x + feed_forward(p, x, approximate=True), **p["norm2"])


def decoder(p, x):
    """Layer norm before, causal mask, GELU by the error function."""
    causal = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
    x = x + attention(p, layer_norm(x, **p["norm1"]), 4, causal)
    return x + feed_forward(p, layer_norm(x, **p["norm2"]), approximate=False)


def embedding(p, tokens):
    """Rows of two tables, normalised; scores of the next token from the first."""
    x = p["words"][tokens] + p["places"][None, : tokens.shape[1]]
    x = layer_norm(x, **p["norm"])
    return x, x @ p["words"].T


def embedding_weights(rng, words, places, d):
    return {
        "words": tensor(rng, words, d),
        "places": tensor(rng, places, d),
        "norm": {"scale": vector(rng, d, 1), "bias": vector(rng, d)},
    }


def embedding_loss(p, tokens, targets):
    _, scores = embedding(p, tokens)
    chosen = jnp.take_along_axis(jax.nn.log_softmax(scores), targets[..., None], axis=-1)
    return -jnp.mean(chosen)


def sample(scores, temperature, key):
    """Two of the eight best tokens by Gumbel noise, and the best one; with
    the probability mass up to each token in falling order."""
    best, which = lax.top_k(scores / temperature, 8)
    key = jax.random.wrap_key_data(key)
    noise = jax.random.gumbel(key, best.shape, np.float32).astype(scores.dtype)
    order = jnp.argsort(best + noise, axis=-1, descending=True)[:, :2]
    drawn = jnp.take_along_axis(which, order, axis=-1)
    mass = jnp.cumsum(jnp.sort(jax.nn.softmax(scores), axis=-1, descending=True), axis=-1)
    return drawn, jnp.argmax(scores, axis=-1), mass


# --- convolution


def conv(x, kernel, stride=1, padding="SAME", groups=1, dilation=1):
    """x is [batch, height, width, channels]."""
    return lax.conv_general_dilated(
        x,
        kernel,
        window_strides=(stride, stride),
        padding=padding,
        rhs_dilation=(dilation, dilation),
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        feature_group_count=groups,
    )


def batch_norm(x, scale, bias, mean, variance, epsilon=1e-3):
    return (x - mean) * (lax.rsqrt(variance + epsilon) * scale) + bias


def norm_weights(rng, n):
    return {
        "scale": vector(rng, n, 1),
        "bias": vector(rng, n),
        "mean": vector(rng, n),
        "variance": vector(rng, n, 1) ** 2,
    }


def max_pool(x, window, stride, padding="VALID"):
    w, s = (1, window, window, 1), (1, stride, stride, 1)
    return lax.reduce_window(x, np.array(-np.inf, x.dtype), lax.max, w, s, padding)


def average_pool(x, window):
    """Not counting the padding: divides by how many elements there were."""
    w, s = (1, window, window, 1), (1, 1, 1, 1)
    zero = np.array(0, x.dtype)
    total = lax.reduce_window(x, zero, lax.add, w, s, "SAME")
    return total / lax.reduce_window(jnp.ones_like(x), zero, lax.add, w, s, "SAME")


def convnet_weights(rng):
    return {
        "stem": {"kernel": weight(rng, 3, 3, 3, 8), "norm": norm_weights(rng, 8)},
        "depthwise": {"kernel": weight(rng, 3, 3, 1, 8), "norm": norm_weights(rng, 8)},
        "pointwise": {"kernel": weight(rng, 1, 1, 8, 12), "norm": norm_weights(rng, 12)},
        "grouped": {"kernel": weight(rng, 3, 3, 4, 12), "norm": norm_weights(rng, 12)},
        "dense": {"kernel": weight(rng, 12, 10), "bias": vector(rng, 10)},
    }


def convnet_scores(p, x):
    def block(x, p, **how):
        return jax.nn.relu(batch_norm(conv(x, p["kernel"], **how), **p["norm"]))

    x = block(x, p["stem"], stride=2, padding=((1, 1), (1, 1)))
    x = max_pool(x, 3, 2, "SAME")
    x = block(x, p["depthwise"], groups=8)
    x = block(x, p["pointwise"])
    x = x + block(x, p["grouped"], groups=3, dilation=2)
    x = jnp.mean(average_pool(x, 2), axis=(1, 2))
    return x @ p["dense"]["kernel"] + p["dense"]["bias"]


def convnet(p, x):
    """The probabilities, and the scores that they come from: a mistake before
    the softmax hardly shows in what it returns."""
    scores = convnet_scores(p, x)
    return jax.nn.softmax(scores, axis=-1), scores


def cross_entropy(scores, labels):
    wanted = jax.nn.one_hot(labels, scores.shape[-1], dtype=scores.dtype)
    return -jnp.mean(jnp.sum(wanted * jax.nn.log_softmax(scores), axis=-1))


def convnet_loss(p, x, labels):
    return cross_entropy(convnet_scores(p, x), labels)


def channels_first(p, x):
    """[batch, channels, height, width], as PyTorch lays images out, and a
    transposed convolution back to the size of the input."""
    layout = ("NCHW", "OIHW", "NCHW")
    h = lax.conv_general_dilated(x, p["down"], (2, 2), ((1, 2), (0, 1)), dimension_numbers=layout)
    h = jax.nn.silu(h)
    return lax.conv_transpose(h, p["up"], (2, 2), "SAME", dimension_numbers=layout)


# --- small networks


def mlp_weights(rng, *sizes):
    return [{"kernel": weight(rng, n, m), "bias": vector(rng, m)} for n, m in zip(sizes, sizes[1:])]


def mlp_loss(p, x, labels):
    for layer in p[:-1]:
        x = jnp.tanh(x @ layer["kernel"] + layer["bias"])
    return cross_entropy(x @ p[-1]["kernel"] + p[-1]["bias"], labels)


def mlp_step(p, velocity, x, labels, rate):
    """Gradient descent with momentum."""
    loss, grads = jax.value_and_grad(mlp_loss)(p, x, labels)
    velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, grads)
    return jax.tree.map(lambda w, v: w - rate * v, p, velocity), velocity, loss


def lstm(p, x):
    """x is [sequence, batch, features]; the outputs and the last state."""

    def cell(state, x):
        h, c = state
        gates = x @ p["input"] + h @ p["state"] + p["bias"]
        i, f, g, o = jnp.split(gates, 4, axis=-1)
        c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros((x.shape[1], p["state"].shape[0]), x.dtype)
    (h, c), out = lax.scan(cell, (zero, zero), x)
    return out, h, c


def lstm_weights(rng, features, hidden):
    return {
        "input": weight(rng, features, 4 * hidden),
        "state": weight(rng, hidden, 4 * hidden),
        "bias": vector(rng, 4 * hidden),
    }


def lstm_loss(p, x, target):
    return jnp.mean((lstm(p, x)[0] - target) ** 2)


def newton(a):
    """Square roots by Newton's method until nothing moves by more than one
    part in a thousand, then one of two ways on, by the data."""

    def go_on(state):
        _, step, n = state
        return (jnp.max(step) > 1e-3) & (n < 50)

    def improve(state):
        x, _, n = state
        y = 0.5 * (x + a / x)
        return y, jnp.abs(y - x) / y, n + 1

    root, _, n = lax.while_loop(go_on, improve, (a, jnp.ones_like(a), jnp.int32(0)))
    rest = lax.cond(jnp.sum(a) > 10, lambda r: r * r - a, lambda r: a - r, root)
    picked = lax.switch(n % 3, [jnp.sin, jnp.cos, jnp.tan], root)
    return root, n, rest, picked


# --- the list


def constants(function, params):
    """function with params as constants of the program."""

    def closed(*args):
        dtype = args[0].dtype
        return function(jax.tree.map(lambda w: jnp.asarray(w, dtype), params), *args)

    closed.__name__ = function.__name__
    return closed


def programs() -> dict[str, Program]:
    """Every program by its name."""
    rng = np.random.default_rng
    ints = lambda seed, high, *shape: rng(seed).integers(0, high, shape, np.int32)
    r = rng(1)
    valid = np.arange(8)[None, :] < np.array([[8], [5]])
    deep = convnet_weights(rng(6))
    words = embedding_weights(rng(3), 20, 8, 16)
    layers = mlp_weights(rng(8), 6, 12, 8, 4)
    still = jax.tree.map(np.zeros_like, layers)
    image = tensor(rng(7), 2, 12, 12, 3)
    recurrent = lstm_weights(rng(10), 4, 6)
    planes = {"down": weight(r, 5, 2, 3, 3), "up": weight(r, 2, 5, 4, 4)}
    return {
        "encoder": Program(encoder, (encoder_weights(r, 16, 32), tensor(r, 2, 8, 16), valid)),
        "decoder": Program(constants(decoder, encoder_weights(rng(2), 16, 32)), (tensor(rng(12), 2, 8, 16),)),
        "decoder_export": Program(
            decoder, (encoder_weights(rng(17), 8, 16), tensor(rng(12), 2, 8, 8)), via="export"
        ),
        "embedding": Program(embedding, (words, ints(4, 20, 2, 8)), via="export"),
        "embedding_grad": Program(
            jax.value_and_grad(embedding_loss), (words, ints(4, 20, 2, 8), ints(5, 20, 2, 8))
        ),
        "sample": Program(sample, (tensor(rng(13), 3, 20), np.float32(0.7), np.array([0, 42], np.uint32))),
        "convnet": Program(constants(convnet, deep), (image,)),
        "convnet_grad": Program(jax.value_and_grad(convnet_loss), (deep, image, ints(9, 10, 2))),
        "channels_first": Program(channels_first, (planes, tensor(r, 2, 2, 9, 10))),
        "mlp_step": Program(
            mlp_step,
            (layers, still, tensor(rng(14), 5, 6), ints(15, 4, 5), np.float32(0.1)),
            via="locations",
            donate=(0, 1),
        ),
        "lstm": Program(lstm, (recurrent, tensor(rng(11), 5, 3, 4))),
        "lstm_grad": Program(
            jax.value_and_grad(lstm_loss), (recurrent, tensor(rng(11), 5, 3, 4), tensor(rng(16), 5, 3, 6))
        ),
        "newton": Program(newton, (np.array([0.25, 2, 9, 30], np.float32),)),
    }


def flatten(tree: Any) -> list:
    """The arrays of a pytree in the order in which a program takes them."""
    return [np.asarray(x) for x in jax.tree.leaves(tree)]
