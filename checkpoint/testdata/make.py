"""Writes the files of this folder, and expected.json with the values of their tensors.

Run it with PyTorch 2.15.0, safetensors 0.8.0 and gguf 0.19.0 of pip:

    python make.py
"""
import base64, collections, json, os

import gguf, numpy as np, safetensors.torch, torch
from gguf import quants

os.chdir(os.path.dirname(os.path.abspath(__file__)))
torch.manual_seed(1)
expected = {}


def contiguous(t):
    t = t.detach().resolve_conj().contiguous()
    return base64.b64encode(bytes(t.view(-1).view(torch.uint8).numpy()) if t.numel() else b"").decode()


def expect(files, tensors):
    """Notes the type, the strides and the elements of tensors, and which share a storage."""
    pointers = {}
    expected[files] = {}
    for name, t in tensors.items():
        storage = pointers.setdefault(t.untyped_storage().data_ptr() or id(t), len(pointers))
        expected[files][name] = {"dtype": str(t.dtype)[6:], "shape": list(t.shape), "strides": list(t.stride()), "storage": storage, "data": contiguous(t)}


def save(name, value, tensors):
    for suffix, zipped in ((".pt", True), (".legacy.pt", False)):
        torch.save(value, name + suffix, _use_new_zipfile_serialization=zipped)
    expect(name, tensors)


floats = [0.0, -0.0, 1.0, -1.5, 1e-7, 3.1415927, float("inf"), float("-inf"), float("nan")]
dtypes = {}
for d in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
    dtypes[str(d)[6:]] = torch.tensor(floats, dtype=torch.float64).to(d)
for d in (torch.float8_e4m3fn, torch.float8_e5m2):
    dtypes[str(d)[6:]] = torch.arange(256, dtype=torch.uint8).view(d)
for d in (torch.int8, torch.int16, torch.int32, torch.int64):
    i = torch.iinfo(d)
    dtypes[str(d)[6:]] = torch.tensor([i.min, -1, 0, 1, i.max], dtype=d)
dtypes["uint8"] = torch.tensor([0, 1, 255], dtype=torch.uint8)
dtypes["bool"] = torch.tensor([[True, False, True], [False, False, True]])
dtypes["complex64"] = torch.tensor([1 + 2j, -3.5j, 0.25], dtype=torch.complex64)
wide = {"complex128": torch.tensor([1 + 2j, -3.5j], dtype=torch.complex128)}
for d in (torch.uint16, torch.uint32, torch.uint64):
    wide[str(d)[6:]] = torch.tensor([0, 1, torch.iinfo(d).max], dtype=d)
save("dtypes", dtypes | wide, dtypes | wide)
# The header of safetensors has no strides, no storages and no complex128.
safetensors.torch.save_file(dtypes, "dtypes.safetensors", metadata={"format": "pt", "step": "12"})

a = torch.arange(24, dtype=torch.float32).reshape(2, 3, 4)
shapes = collections.OrderedDict(
    scalar=torch.tensor(2.5), empty=torch.zeros(0, 3), whole=a, transposed=a.permute(2, 0, 1), part=a[1, :, 1:3], every=a[:, ::2],
    expanded=torch.tensor([[1.0], [2.0]]).expand(2, 3), same=a, parameter=torch.nn.Parameter(torch.tensor([1.0, 2.0])))
save("shapes", shapes, shapes)

linear = torch.nn.Linear(3, 2)
norm = torch.nn.BatchNorm1d(2)
model = torch.nn.Sequential(linear, norm)
optimizer = torch.optim.AdamW(linear.parameters(), lr=0.01)
model(torch.randn(4, 3)).sum().backward()
optimizer.step()
nested = {
    "model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "loss": 0.125, "best": None, "name": "smáll", "done": False,
    "big": 1 << 70, "minus": -5, "medium": 70000, "numpy": np.float64(0.5), "index": np.int64(-7), "dtype": torch.bfloat16,
    "device": torch.device("cuda", 1), "size": torch.Size([2, 3]), "layers": [torch.ones(1), torch.zeros(2)], "losses": [1.5, 2.5]}
tensors = {"model." + k: v for k, v in model.state_dict().items()}
for i, s in optimizer.state_dict()["state"].items():
    tensors |= {f"optimizer.state.{i}.{k}": v for k, v in s.items()}
tensors |= {"layers.0": nested["layers"][0], "layers.1": nested["layers"][1]}
save("nested", nested, tensors)
save("tensor", torch.tensor([1.0, 2.0]), {"0": torch.tensor([1.0, 2.0])})


class Execute:
    def __reduce__(self):
        return os.system, ("touch executed",)


# Files that are refused.
torch.save({"a": torch.ones(2), "b": Execute()}, "refused_execute.pt")
torch.save(linear, "refused_module.pt")
for name, value, protocol in (
        ("execute", {"a": Execute()}, 2), ("conj", {"w": dtypes["complex64"].conj()}, 2), ("protocol", {"w": torch.ones(2)}, 4),
        ("float8", {"w": torch.zeros(2, dtype=torch.float8_e4m3fnuz)}, 2), ("sparse", {"w": torch.ones(2, 2).to_sparse()}, 2)):
    torch.save(value, f"refused_{name}.legacy.pt", _use_new_zipfile_serialization=False, pickle_protocol=protocol)

# Shards as Hugging Face writes them.
shards = {"model-00001-of-00002.safetensors": {"a.weight": a, "a.bias": torch.ones(3)}, "model-00002-of-00002.safetensors": {"b.weight": torch.zeros(2, dtype=torch.int64)}}
weight_map = {}
for file, part in shards.items():
    safetensors.torch.save_file(part, file, metadata={"format": "pt"})
    weight_map |= {name: file for name in part}
with open("model.safetensors.index.json", "w") as f:
    json.dump({"metadata": {"total_size": 124}, "weight_map": weight_map}, f)
expect("model", {k: v for part in shards.values() for k, v in part.items()})

# GGUF: each type of elements. Blocks are random bytes, but for their scales, which are finite.
random = np.random.default_rng(1)
writer = gguf.GGUFWriter("blocks.gguf", "test")
writer.add_uint8("u8", 200)
writer.add_int8("i8", -2)
writer.add_uint16("u16", 60000)
writer.add_int16("i16", -300)
writer.add_uint32("u32", 4000000000)
writer.add_int32("i32", -70000)
writer.add_uint64("u64", 1 << 60)
writer.add_key_value("i64", -(1 << 60), gguf.GGUFValueType.INT64)
writer.add_float32("f32", 0.1)
writer.add_float64("f64", 0.1)
writer.add_bool("flag", True)
writer.add_string("name", "smáll")
writer.add_array("tokens", ["a", "", "ü"])
writer.add_array("scores", [0.5, -1.5])
writer.add_array("merges", [1, 2, 3])
writer.add_array("flags", [True, False])
expected["blocks"] = {}
T = gguf.GGMLQuantizationType
SCALES = {T.Q4_0: [0], T.Q4_1: [0, 2], T.Q5_0: [0], T.Q5_1: [0, 2], T.Q8_0: [0], T.Q4_K: [0, 2], T.Q5_K: [0, 2], T.Q6_K: [208]}
for kind, offsets in SCALES.items():
    block, size = gguf.GGML_QUANT_SIZES[kind]
    rows, blocks = (1, 1) if block == 256 else (2, 2)
    raw = random.integers(0, 256, (rows, blocks, size), dtype=np.uint8)
    for at in offsets:
        raw[:, :, at:at + 2] = random.normal(0, 0.1, (rows, blocks, 1)).astype(np.float16).view(np.uint8)
    raw = raw.reshape(rows, blocks * size)
    values = quants.dequantize(raw, kind).astype(np.float32)
    writer.add_tensor(kind.name, raw, raw_dtype=kind)
    expected["blocks"][kind.name] = {"dtype": kind.name, "shape": [rows, blocks * block], "data": base64.b64encode(values.tobytes()).decode()}
plain = {"F32": np.array([[1.5, -2, np.inf]], np.float32), "F16": np.array([0.1, 65504], np.float16), "F64": np.array([[[0.1]]]), "I8": np.array([-128, 127], np.int8),
         "I16": np.array([-32768, 5], np.int16), "I32": np.array([1 << 30], np.int32), "I64": np.array([-3, 1 << 40], np.int64)}
for name, x in plain.items():
    writer.add_tensor(name, x)
    expected["blocks"][name] = {"dtype": name, "shape": list(x.shape), "data": base64.b64encode(x.astype(np.float32).tobytes()).decode()}
bf16 = torch.tensor([1.0, -0.1], dtype=torch.bfloat16)
writer.add_tensor("BF16", bf16.view(torch.uint8).numpy(), raw_dtype=T.BF16)
expected["blocks"]["BF16"] = {"dtype": "BF16", "shape": [2], "data": base64.b64encode(bf16.float().numpy().tobytes()).decode()}
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
big = gguf.GGUFWriter("refused_big_endian.gguf", "test", endianess=gguf.GGUFEndian.BIG)
big.add_tensor("w", np.ones(2, np.float32))
big.write_header_to_file()
big.write_kv_data_to_file()
big.write_tensors_to_file()
big.close()

with open("expected.json", "w") as f:
    json.dump(expected, f, sort_keys=True)
    f.write("\n")
print(sum(os.path.getsize(f) for f in os.listdir(".") if f != "make.py"), "bytes")
