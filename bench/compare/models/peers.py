"""Whole programs in other libraries, on the inputs that JAX has exported: timed on the CPU.

usage: peers.py PEER DIR THREADS NAME      PEER: torch_eager torch_compile ort ort_fused openvino numpy
       peers.py onnx DIR THREADS NAME      writes DIR/NAME.onnx, which ort and openvino read

DIR has NAME.npz and NAME.out.npz, as models.py writes them: each peer's results are checked
against XLA's. Variables of the environment: PEERS is the directory of common.py; MINILM,
EFFNET and SMOLLM2 are files of weights. Prints a line of JSON: seconds a call, those of the
first with loading and compiling of the model before it, and the most memory that the process
has held. Weights are the model's own; only the rest is given with a call.
"""
import json, os, resource, sys, tempfile, time

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["PEERS"])
import numpy as np
from common import timeit
import weights

PEER, FOLDER, THREADS, NAME = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
FILE = os.path.join(FOLDER, NAME)
EXPORTING = PEER == "onnx"
APART = 5e-4  # the most that results may be apart, as ./bench has it


class Cannot(Exception):
    """A program that a peer has no words for."""


def exported(suffix="", *which):
    """Arrays of NAME.npz or NAME.out.npz by their numbers, those from the end if negative."""
    with np.load(FILE + suffix + ".npz") as z:
        return [z[f"{'out' if suffix else 'in'}{i % len(z.files)}"] for i in which or range(len(z.files))]


def check(results, apart=APART):
    want = exported(".out")[-len(results):]
    for i, (a, b) in enumerate(zip(results, want)):
        b = np.asarray(b, np.float64)
        gap = np.abs(np.asarray(a, np.float64).reshape(b.shape) - b) / (1 + np.abs(b))
        if not gap.max() <= apart:
            raise ValueError(f"wrong result: {i} of {len(results)} is {gap.max():.2g} off XLA's")


def report(version, prepare):
    """Times what prepare returns, a call whose results the first time are checked."""
    begin = time.perf_counter()
    call, results = prepare()
    got = results(call())
    first = time.perf_counter() - begin
    check(got)
    median, least, samples = timeit(call, budget=1.0, warm=3, inner=1)
    print(json.dumps(dict(peer=f"{PEER.replace('ort', 'onnxruntime')}_{version.split('+')[0]}", w=NAME, threads=THREADS, med_s=median, min_s=least, reps=samples, load1=os.getloadavg()[0],
                          first_call_s=first, peak_rss_mib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)), flush=True)


# Programs in torch. Each function returns a function of tensors, its weights and its other
# arguments. The results are those of the exported program, or the last of them.

def window(stride, padding):
    def make(t, f):
        x, w = exported("", 0, 1)
        return lambda p, x: f.conv2d(x, p["w"], stride=stride, padding=padding), {"w": w}, [x]
    return make


def sort(t, f):
    return lambda p, x: t.sort(x)[0], {}, exported()


def top(t, f):
    return lambda p, x: tuple(t.topk(x, 10)), {}, exported()


def fourier(t, f):
    if EXPORTING:
        raise Cannot("ONNX: no transforms of two axes at once")
    return lambda p, x: t.fft.fft2(x).abs(), {}, exported()


def cumulated(t, f):
    return lambda p, x: t.cumsum(x, -1), {}, exported()


def minilm(t, f):
    w = {k: v for k, v in weights.safetensors(weights.path("MINILM", "MiniLM's weights")).items() if not k.startswith("pooler")}
    width, heads = 384, 12

    def forward(p, ids, mask):
        batch, length = ids.shape

        def linear(x, name):
            return f.linear(x, p[name + ".weight"], p[name + ".bias"])

        def norm(x, name):
            return f.layer_norm(x, (width,), p[name + ".weight"], p[name + ".bias"], 1e-12)

        def split(x):
            return x.reshape(batch, length, heads, width // heads).transpose(1, 2)

        e = "embeddings."
        x = f.embedding(ids, p[e + "word_embeddings.weight"]) + p[e + "position_embeddings.weight"][:length] + p[e + "token_type_embeddings.weight"][0]
        x = norm(x, e + "LayerNorm")
        bias = ((1 - mask) * -1e9)[:, None, None, :]
        for i in range(6):
            at = f"encoder.layer.{i}."
            q, k, v = (split(linear(x, at + "attention.self." + n)) for n in ("query", "key", "value"))
            if EXPORTING:
                seen = t.softmax(q @ k.transpose(2, 3) / (width // heads) ** .5 + bias, -1) @ v
            else:
                seen = f.scaled_dot_product_attention(q, k, v, attn_mask=bias)
            seen = seen.transpose(1, 2).reshape(batch, length, width)
            x = norm(linear(seen, at + "attention.output.dense") + x, at + "attention.output.LayerNorm")
            x = norm(linear(f.gelu(linear(x, at + "intermediate.dense")), at + "output.dense") + x, at + "output.LayerNorm")
        m = mask[:, :, None]
        s = (x * m).sum(1) / m.sum(1)
        return x, s / (s * s).sum(-1, keepdim=True).sqrt()

    ids, mask = exported("", -2, -1)
    return forward, w, [ids.astype(np.int64), mask]


def effnet(t, f):
    blocks = ((1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80), (3, 5, 1, 6, 112), (4, 5, 2, 6, 192), (1, 3, 1, 6, 320))

    def forward(p, x):
        def conv(x, name, stride=1, groups=1):
            w = p[name + ".weight"]
            k, n = w.shape[-1], x.shape[-1]
            pad = max((-(-n // stride) - 1) * stride + k - n, 0)  # as TensorFlow pads
            if pad % 2:
                x = f.pad(x, (pad // 2, pad - pad // 2) * 2)
            return f.conv2d(x, w, stride=stride, groups=groups, padding=0 if pad % 2 else pad // 2)

        def norm(x, name):
            return f.batch_norm(x, p[name + ".running_mean"], p[name + ".running_var"], p[name + ".weight"], p[name + ".bias"], False, 0, 1e-3)

        x = f.relu6(norm(conv(x, "_conv_stem", 2), "_bn0"))
        block = 0
        for n, _, stride, expansion, outputs in blocks:
            for i in range(n):
                at, y, s = f"_blocks.{block}.", x, stride if i == 0 else 1
                if expansion > 1:
                    y = f.relu6(norm(conv(y, at + "_expand_conv"), at + "_bn0"))
                y = f.relu6(norm(conv(y, at + "_depthwise_conv", s, y.shape[1]), at + "_bn1"))
                y = norm(conv(y, at + "_project_conv"), at + "_bn2")
                x = x + y if s == 1 and x.shape[1] == outputs else y
                block += 1
        x = f.relu6(norm(conv(x, "_conv_head"), "_bn1")).mean((2, 3))
        return f.linear(x, p["_fc.weight"], p["_fc.bias"])

    return forward, weights.torch_pickle(weights.path("EFFNET", "EfficientNet-Lite0's weights")), exported("", -1)


def smollm2(t, f):
    layers, heads, key_heads, head, context = 30, 9, 3, 64, 256
    w = weights.gguf(weights.path("SMOLLM2", "SmolLM2-135M's weights"))
    angle = (context - 1) * 1e5 ** (-np.arange(0, head, 2) / head)
    turn = [t.tensor(a(angle), dtype=t.float32) for a in (np.cos, np.sin)]

    def forward(p, token, *cache):
        def norm(x, name):
            return x * t.rsqrt((x * x).mean() + 1e-5) * p[name + ".weight"]

        def rotated(x):
            a, b = x[:, ::2], x[:, 1::2]
            return t.stack([a * turn[0] - b * turn[1], a * turn[1] + b * turn[0]], -1).reshape(x.shape)

        def kept(past, new):
            new = new.reshape(key_heads, 1, head)
            if EXPORTING:  # what a runtime of ONNX does: the past comes in, one more goes out
                return t.cat([past, new], 1)
            past[:, context - 1:] = new
            return past

        x, written = p["token_embd.weight"][token].reshape(-1), []
        for layer in range(layers):
            b = f"blk.{layer}."
            h = norm(x, b + "attn_norm")
            q, k, v = (f.linear(h, p[b + f"attn_{n}.weight"]) for n in "qkv")
            keys = kept(cache[2 * layer], rotated(k.reshape(key_heads, head)))
            values = kept(cache[2 * layer + 1], v)
            written += [keys, values]
            q = rotated(q.reshape(heads, head)).reshape(key_heads, -1, head)
            if EXPORTING:
                seen = t.softmax(q @ keys.transpose(1, 2) / head ** .5, -1) @ values
            else:
                seen = f.scaled_dot_product_attention(q[None], keys[None], values[None])
            x = x + f.linear(seen.reshape(-1), p[b + "attn_output.weight"])
            h = norm(x, b + "ffn_norm")
            x = x + f.linear(f.silu(f.linear(h, p[b + "ffn_gate.weight"])) * f.linear(h, p[b + "ffn_up.weight"]), p[b + "ffn_down.weight"])
        logits = f.linear(norm(x, "output_norm"), p["token_embd.weight"])
        return (*written, logits) if EXPORTING else logits

    cache = exported("", *range(2 * layers))
    if EXPORTING or not PEER.startswith("torch"):
        cache = [np.ascontiguousarray(c[:, :context - 1]) for c in cache]
    token = exported("", -2)[0]
    return forward, w, [token.astype(np.int64).reshape(1), *cache]


def resnet_block(t, f):
    names = [f"{part}{i}.{of}" for part, all in (("bn", ("bias", "running_mean", "running_var", "weight")), ("conv", ("weight",))) for i in (1, 2) for of in all]
    *w, x = exported()

    def forward(p, x):
        def norm(x, name):
            return f.batch_norm(x, p[name + ".running_mean"], p[name + ".running_var"], p[name + ".weight"], p[name + ".bias"], False, 0, 1e-5)

        y = f.relu(norm(f.conv2d(x, p["conv1.weight"], padding=1), "bn1"))
        return f.relu(norm(f.conv2d(y, p["conv2.weight"], padding=1), "bn2") + x)

    return forward, dict(zip(names, w)), [x]


PROGRAMS = {
    "conv3_1x64x56": window(1, 1), "conv3_32x64x56": window(1, 1), "conv7s2_1x3x224": window(2, 3),
    "sort_1m": sort, "topk_rows": top, "fft_2d": fourier, "cumsum_rows": cumulated,
    "minilm_b1": minilm, "minilm_b8": minilm, "effnet_b1": effnet, "resnet_block_b1": resnet_block, "smollm2_decode": smollm2,
}


def listed(r):
    return list(r) if isinstance(r, (tuple, list)) else [r]


def torch_program():
    import torch, torch.nn.functional as f
    torch.set_num_threads(THREADS)
    if NAME == "train_cnn":
        return report(torch.__version__, lambda: training(torch, f))
    torch.set_grad_enabled(False)
    if NAME not in PROGRAMS:
        raise Cannot("not written in torch")

    def prepare():
        forward, p, args = PROGRAMS[NAME](torch, f)
        p = {k: torch.from_numpy(np.array(v)) for k, v in p.items()}
        args = [torch.from_numpy(np.array(a)) for a in args]
        run = compiled(torch, forward)
        return lambda: run(p, *args), lambda r: [v.numpy() for v in listed(r)]

    report(torch.__version__, prepare)


def compiled(torch, f):
    return torch.compile(f, dynamic=False) if PEER == "torch_compile" else f


def training(torch, f):
    """A step of gradient descent of the network of train_cnn."""
    *p, x, y = [torch.from_numpy(v) for v in exported()]
    p = [v.requires_grad_() for v in p]

    def loss(p, x, y):
        h = f.max_pool2d(f.relu(f.conv2d(x, p[0], p[1], padding=2)), 2)
        h = f.max_pool2d(f.relu(f.conv2d(h, p[2], p[3], padding=2)), 2).reshape(x.shape[0], -1)
        return f.cross_entropy(torch.addmm(p[7], f.relu(torch.addmm(p[5], h, p[4])), p[6]), y)

    forward = compiled(torch, loss)
    descend = torch.optim.SGD(p, lr=1e-3)

    def step():
        descend.zero_grad(set_to_none=True)
        l = forward(p, x, y)
        l.backward()
        descend.step()
        return l

    return step, lambda l: [v.detach().numpy() for v in (*p, l)]


def write_onnx():
    import torch, torch.nn.functional as f
    if NAME not in PROGRAMS:
        raise Cannot("not written for ONNX")
    if NAME == "sort_1m":
        raise Cannot("ONNX: no sort")
    torch.set_grad_enabled(False)
    forward, p, args = PROGRAMS[NAME](torch, f)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.names = list(p)
            self.weights = torch.nn.ParameterList([torch.nn.Parameter(torch.from_numpy(np.array(v)), requires_grad=False) for v in p.values()])

        def forward(self, *args):
            return forward(dict(zip(self.names, self.weights)), *args)

    tensors = tuple(torch.from_numpy(a) for a in args)
    options = dict(input_names=[f"in{i}" for i in range(len(args))], opset_version=20)
    part = FILE + ".onnx.part"
    try:
        torch.onnx.export(Model(), tensors, part, dynamo=False, **options)
    except Exception as e:
        print("the older exporter:", repr(e)[:200], file=sys.stderr)
        torch.onnx.export(Model(), tensors, part, dynamo=True, external_data=False, **options)
    if NAME.startswith("minilm"):
        try:
            from onnxruntime.transformers import optimizer
            fused = optimizer.optimize_model(part, model_type="bert", num_heads=12, hidden_size=384)
            print("fused:", fused.get_fused_operator_statistics(), file=sys.stderr)
            fused.save_model_to_file(FILE + ".fused.onnx")
        except Exception as e:
            print("onnxruntime's optimizer:", repr(e)[:200], file=sys.stderr)
    os.rename(part, FILE + ".onnx")


def onnx_inputs():
    """The inputs of NAME.onnx, without torch."""
    if NAME.startswith("minilm"):
        ids, mask = exported("", -2, -1)
        return [ids.astype(np.int64), mask]
    if NAME in ("effnet_b1", "resnet_block_b1"):
        return exported("", -1)
    if NAME == "smollm2_decode":
        cache = exported("", *range(60))
        return [exported("", -2)[0].astype(np.int64).reshape(1), *(np.ascontiguousarray(c[:, :-1]) for c in cache)]
    return exported("", 0)


def model_file():
    file = FILE + (".fused.onnx" if PEER == "ort_fused" else ".onnx")
    if not os.path.exists(file):
        raise Cannot("there is no " + os.path.basename(file))
    return file


def ort():
    import onnxruntime
    file, args = model_file(), onnx_inputs()

    def prepare():
        o = onnxruntime.SessionOptions()
        o.log_severity_level, o.intra_op_num_threads, o.inter_op_num_threads = 3, THREADS, 1
        s = onnxruntime.InferenceSession(file, o, providers=["CPUExecutionProvider"])
        bound = s.io_binding()
        for i, a in zip(s.get_inputs(), args):
            bound.bind_cpu_input(i.name, a)
        for r in s.get_outputs():
            bound.bind_output(r.name)
        s.run_with_iobinding(bound)
        results = bound.get_outputs()
        for r, v in zip(s.get_outputs(), results):  # in other calls written to the same memory
            bound.bind_ortvalue_output(r.name, v)
        return lambda: s.run_with_iobinding(bound), lambda _: [v.numpy() for v in results]

    report(onnxruntime.__version__, prepare)


def openvino():
    import openvino
    file, args = model_file(), onnx_inputs()

    def prepare():
        core = openvino.Core()
        model = core.compile_model(file, "CPU", {"INFERENCE_NUM_THREADS": THREADS, "NUM_STREAMS": 1, "ENABLE_CPU_PINNING": False, "INFERENCE_PRECISION_HINT": "f32"})
        request = model.create_infer_request()
        for i, a in enumerate(args):
            request.set_input_tensor(i, openvino.Tensor(a, shared_memory=True))
        return request.infer, lambda _: [request.get_output_tensor(i).data for i in range(len(model.outputs))]

    report(openvino.__version__.split("-")[0], prepare)


def tops(x):
    at = np.argpartition(x, -10, -1)[:, -10:]
    v = np.take_along_axis(x, at, -1)
    order = np.argsort(-v, -1)
    return np.take_along_axis(v, order, -1), np.take_along_axis(at, order, -1)


def numpy():
    f = {"sort_1m": np.sort, "topk_rows": tops, "fft_2d": lambda x: np.abs(np.fft.fft2(x)), "cumsum_rows": lambda x: np.cumsum(x, -1)}.get(NAME)
    if f is None:
        raise Cannot("not written in NumPy")
    x = exported()[0]
    report(np.__version__, lambda: (lambda: f(x), listed))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as cache:  # nothing is compiled before
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
        try:
            {"torch_eager": torch_program, "torch_compile": torch_program, "onnx": write_onnx, "ort": ort, "ort_fused": ort, "openvino": openvino, "numpy": numpy}[PEER]()
        except (Cannot, weights.Absent) as e:
            sys.exit(str(e))
