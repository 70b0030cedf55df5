"""Whole models, as JAX users write them, and a block of one: exported as StableHLO text
with inputs and XLA's results, and timed on XLA's CPU backend.

usage: models.py export DIR NAME... | models.py time DIR THREADS NAME

DIR gets NAME.mlir, NAME.npz with in0, in1, … in the order of main's arguments, and
NAME.out.npz with out0, …. Variables of the environment: PEERS is the directory of
common.py, INPUTS that of the models' expected results, EFFNET and SMOLLM2 are the files of
weights. Arguments that the text marks as donated are written anew by each call.
"""
import json, os, resource, sys, time

os.environ["JAX_PLATFORMS"] = "cpu"
if sys.argv[1:2] == ["export"] or sys.argv[3:4] == ["1"]:
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["PEERS"])
import numpy as np
import jax, jax.numpy as jnp
from jax import lax
from common import gen, timeit
import weights


def expected(name):
    """What a model's published weights give, from the directory INPUTS."""
    with open(os.path.join(os.environ["INPUTS"], name + "_expected.json")) as f:
        return json.load(f)


# EfficientNet-Lite0: what each group of blocks has, as (blocks, window, stride, expansion, outputs).
EFFNET_BLOCKS = ((1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80), (3, 5, 1, 6, 112), (4, 5, 2, 6, 192), (1, 3, 1, 6, 320))


def effnet(p, x):
    """EfficientNet-Lite0's logits for images [n, 3, 224, 224]."""
    def conv(x, name, stride=1, groups=1):
        return lax.conv_general_dilated(x, p[name + ".weight"], (stride, stride), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW"), feature_group_count=groups)

    def norm(x, name):
        scale = p[name + ".weight"] * lax.rsqrt(p[name + ".running_var"] + 1e-3)
        return x * scale[:, None, None] + (p[name + ".bias"] - p[name + ".running_mean"] * scale)[:, None, None]

    def relu6(x):
        return jnp.clip(x, 0, 6)

    x = relu6(norm(conv(x, "_conv_stem", 2), "_bn0"))
    block = 0
    for blocks, _, stride, expansion, outputs in EFFNET_BLOCKS:
        for i in range(blocks):
            at, y, s = f"_blocks.{block}.", x, stride if i == 0 else 1
            if expansion > 1:
                y = relu6(norm(conv(y, at + "_expand_conv"), at + "_bn0"))
            y = relu6(norm(conv(y, at + "_depthwise_conv", s, y.shape[1]), at + "_bn1"))
            y = norm(conv(y, at + "_project_conv"), at + "_bn2")
            x = x + y if s == 1 and x.shape[1] == outputs else y
            block += 1
    x = relu6(norm(conv(x, "_conv_head"), "_bn1")).mean((2, 3))
    return x @ p["_fc.weight"].T + p["_fc.bias"]


def effnet_b1():
    p = weights.torch_pickle(weights.path("EFFNET", "EfficientNet-Lite0's weights"))

    def check(logits):
        want = next(e for e in expected("effnet") if e["input"].startswith("gen("))
        np.testing.assert_allclose(np.asarray(logits)[0], want["logits"], atol=2e-3)

    return effnet, (p, gen(1, 1, 3, 224, 224)), (), check


def resnet_block(p, x):
    """The first block of ResNet-18 behind its stem, in inference, for images [n, 64, 56, 56]."""
    def norm(x, name):
        scale = p[name + ".weight"] * lax.rsqrt(p[name + ".running_var"] + 1e-5)
        return x * scale[:, None, None] + (p[name + ".bias"] - p[name + ".running_mean"] * scale)[:, None, None]

    def conv(x, name):
        return lax.conv_general_dilated(x, p[name + ".weight"], (1, 1), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW"))

    y = jax.nn.relu(norm(conv(x, "conv1"), "bn1"))
    return jax.nn.relu(norm(conv(y, "conv2"), "bn2") + x)


def resnet_weights():
    """Made-up weights of the block, by PyTorch's names."""
    p = {}
    for i in (1, 2):
        p[f"conv{i}.weight"] = gen(10 + i, 64, 64, 3, 3) / 24
        p[f"bn{i}.weight"], p[f"bn{i}.bias"], p[f"bn{i}.running_mean"] = 1 + gen(20 + i, 64) / 10, gen(30 + i, 64), gen(40 + i, 64)
        p[f"bn{i}.running_var"] = 1 + abs(gen(50 + i, 64))
    return p


def resnet_block_b1():
    return resnet_block, (resnet_weights(), gen(1, 1, 64, 56, 56)), (), None


# SmolLM2-135M: layers, heads, heads of keys, size of a head, and how far the cache reaches.
LAYERS, HEADS, KEY_HEADS, HEAD, CONTEXT = 30, 9, 3, 64, 256


def smollm2(cache, p, token, at):
    """A step of SmolLM2: the cache with the keys and values of a token at a position, and the
    logits of the token after it."""
    def norm(x, name):
        return x * lax.rsqrt((x * x).mean() + 1e-5) * p[name + ".weight"]

    def rotated(x):
        angle = at * 1e5 ** (-jnp.arange(0, HEAD, 2, dtype=jnp.float32) / HEAD)
        a, b = x[:, ::2], x[:, 1::2]
        return jnp.stack([a * jnp.cos(angle) - b * jnp.sin(angle), a * jnp.sin(angle) + b * jnp.cos(angle)], -1).reshape(x.shape)

    x, written = p["token_embd.weight"][token], []
    for layer, (keys, values) in enumerate(cache):
        b = f"blk.{layer}."
        h = norm(x, b + "attn_norm")
        q, k, v = (p[b + f"attn_{n}.weight"] @ h for n in "qkv")
        q, k = rotated(q.reshape(HEADS, HEAD)), rotated(k.reshape(KEY_HEADS, HEAD))
        keys = lax.dynamic_update_slice(keys, k[:, None], (0, at, 0))
        values = lax.dynamic_update_slice(values, v.reshape(KEY_HEADS, 1, HEAD), (0, at, 0))
        written.append((keys, values))
        scores = jnp.einsum("gnd,gsd->gns", q.reshape(KEY_HEADS, -1, HEAD), keys) / HEAD ** .5
        scores = jnp.where(jnp.arange(CONTEXT) <= at, scores, -1e30)
        seen = jnp.einsum("gns,gsd->gnd", jax.nn.softmax(scores, -1), values)
        x = x + p[b + "attn_output.weight"] @ seen.reshape(HEADS * HEAD)
        h = norm(x, b + "ffn_norm")
        x = x + p[b + "ffn_down.weight"] @ (jax.nn.silu(p[b + "ffn_gate.weight"] @ h) * (p[b + "ffn_up.weight"] @ h))
    return written, p["token_embd.weight"] @ norm(x, "output_norm")


def smollm2_decode():
    """The step that fills the cache, after a prompt and what SmolLM2 says to it."""
    p = weights.gguf(weights.path("SMOLLM2", "SmolLM2-135M's weights"))
    want = expected("smollm2")[0]
    shape = (KEY_HEADS, CONTEXT, HEAD)
    cache = [(np.zeros(shape, np.float32), np.zeros(shape, np.float32)) for _ in range(LAYERS)]
    tokens, step, device = list(want["ids"]), jax.jit(smollm2, donate_argnums=0), jax.tree.map(jnp.asarray, p)
    for at in range(CONTEXT - 1):
        cache, logits = step(cache, device, np.int32(tokens[at]), np.int32(at))
        if at + 1 == len(tokens):
            tokens.append(int(logits.argmax()))
    n = len(want["ids"])
    if tokens[n:n + len(want["greedy"])] != want["greedy"]:
        raise ValueError(f"SmolLM2 says {tokens[n:]}, want {want['greedy']}")
    return smollm2, (cache, p, np.int32(tokens[CONTEXT - 1]), np.int32(CONTEXT - 1)), (0,), None


def lstm(batch, hidden, steps=128):
    """The hidden states of an LSTM whose weights are [of features, of states, bias], along a
    sequence: ./bench has the same by Scan."""
    def states(p, xs):
        def cell(carry, x):
            h, memory = carry
            i, values, o, forget = jnp.split(x @ p[0] + h @ p[1] + p[2], 4, -1)
            memory = jax.nn.sigmoid(forget + 1) * memory + jax.nn.sigmoid(i) * jnp.tanh(values)
            h = jax.nn.sigmoid(o) * jnp.tanh(memory)
            return (h, memory), h

        zero = jnp.zeros((batch, hidden), jnp.float32)
        return lax.scan(cell, (zero, zero), xs)[1]

    scale = np.float32(hidden ** -.5)
    p = [gen(1, hidden, 4 * hidden) * scale, gen(2, hidden, 4 * hidden) * scale, gen(3, 4 * hidden) * np.float32(.1)]
    return states, (p, gen(4, steps, batch, hidden)), (), None


def lstm_train(batch, hidden):
    """A step of gradient descent on the mean of the squared states."""
    states, args, _, _ = lstm(batch, hidden)

    def step(p, xs):
        loss, slopes = jax.value_and_grad(lambda p: (states(p, xs) ** 2).mean())(p)
        return [a - np.float32(.1) * b for a, b in zip(p, slopes)], loss

    return step, args, (0,), None


MODELS = {f.__name__: f for f in (effnet_b1, resnet_block_b1, smollm2_decode)}
for f in (lstm, lstm_train):
    for sizes in ((1, 128), (16, 128), (16, 512)):
        MODELS["%s_b%d_h%d" % (f.__name__, *sizes)] = lambda f=f, sizes=sizes: f(*sizes)


def export(folder, name):
    f, args, donated, check = MODELS[name]()
    args = jax.tree.map(np.asarray, args)
    os.makedirs(folder, exist_ok=True)
    text = jax.jit(f, donate_argnums=donated, keep_unused=True).lower(*args).as_text()
    results = jax.jit(f)(*args)
    if check:
        check(results)
    with open(f"{folder}/{name}.mlir", "w") as out:
        out.write(text)
    np.savez(f"{folder}/{name}.npz", **{f"in{i}": v for i, v in enumerate(jax.tree.leaves(args))})
    np.savez(f"{folder}/{name}.out.npz", **{f"out{i}": np.asarray(v) for i, v in enumerate(jax.tree.leaves(results))})


def measure(folder, threads, name):
    """Times the model on its exported inputs, which come in the order of the leaves."""
    f = {"effnet_b1": effnet, "resnet_block_b1": resnet_block, "smollm2_decode": smollm2}.get(name)
    donated = name == "smollm2_decode"
    args = [jnp.asarray(v) for v in inputs(folder, name)]
    if not f:
        f, _, donated, _ = MODELS[name]()
        args = [args[:-1], args[-1]]
    elif donated:
        n = 2 * LAYERS
        names = sorted(weights.gguf(weights.path("SMOLLM2", "SmolLM2-135M's weights")))
        args = [list(zip(args[:n:2], args[1:n:2])), dict(zip(names, args[n:-2])), *args[-2:]]
    else:
        names = sorted(resnet_weights() if name == "resnet_block_b1" else weights.torch_pickle(weights.path("EFFNET", "EfficientNet-Lite0's weights")))
        args = [dict(zip(names, args[:-1])), args[-1]]
    begin = time.perf_counter()
    compiled = jax.jit(f, donate_argnums=(0,) if donated else (), keep_unused=True).lower(*args).compile()

    def call():
        results = compiled(*args)
        if donated:
            args[0] = results[0]
        jax.block_until_ready(results)

    call()
    first = time.perf_counter() - begin
    median, least, samples = timeit(call, budget=1.0, warm=3, inner=1)
    print(json.dumps(dict(peer="jax", w=name, threads=int(threads), med_s=median, min_s=least, reps=samples, load1=os.getloadavg()[0],
                          first_call_s=first, peak_rss_mib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)), flush=True)


def inputs(folder, name):
    with np.load(f"{folder}/{name}.npz") as z:
        return [z[f"in{i}"] for i in range(len(z.files))]


if __name__ == "__main__":
    try:
        if sys.argv[1] == "export":
            for name in sys.argv[3:] or MODELS:
                export(sys.argv[2], name)
        else:
            measure(*sys.argv[2:])
    except weights.Absent as e:
        sys.exit(str(e))
