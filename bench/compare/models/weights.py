"""Readers of the files that models' weights are published in, as arrays of float32 by name.

Only numpy is needed. make inputs fetches the files, and bench/compare names them.
"""
import collections, mmap, os, pickle, struct
import numpy as np


class Absent(Exception):
    """The file of weights is not there."""


def path(variable, what):
    """The file that an environment variable names."""
    name = os.environ.get(variable)
    if not name:
        raise Absent(f"{variable} does not name {what}")
    if not os.path.exists(name):
        raise Absent(f"{variable}={name}: there is no such file: make inputs fetches it")
    return name


def safetensors(file):
    """A file of safetensors: the size of a JSON header, the header, and the values."""
    import json
    with open(file, "rb") as f:
        size = struct.unpack("<Q", f.read(8))[0]
        header = json.loads(f.read(size))
        values = f.read()
    tensors = {}
    for name, t in header.items():
        if name != "__metadata__" and t["dtype"] == "F32":
            begin, end = t["data_offsets"]
            tensors[name] = np.frombuffer(values, np.float32, (end - begin) // 4, begin).reshape(t["shape"])
    return tensors


def torch_pickle(file):
    """A file that torch.save wrote before version 1.6: pickles of a magic number, a version,
    the system, the tensors and the keys of their storages, and then the storages."""
    kinds = {"FloatStorage": np.float32, "LongStorage": np.int64}
    tensors = []

    class Unpickler(pickle.Unpickler):
        def find_class(self, module, name):
            if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
                def rebuild(storage, offset, shape, strides, *_):
                    tensors.append((storage, offset, shape, strides))
                    return len(tensors) - 1
                return rebuild
            if module == "torch" and name in kinds:
                return kinds[name]
            if (module, name) == ("collections", "OrderedDict"):
                return collections.OrderedDict
            raise pickle.UnpicklingError(f"{file} holds a {module}.{name}")

        def persistent_load(self, saved):
            _, dtype, key, *_ = saved
            return key, dtype

    with open(file, "rb") as f:
        for _ in range(3):
            Unpickler(f).load()
        names = Unpickler(f).load()
        dtypes = dict(storage for storage, *_ in tensors)
        storages = {}
        for key in Unpickler(f).load():
            n = struct.unpack("<q", f.read(8))[0]
            storages[key] = np.frombuffer(f.read(n * np.dtype(dtypes[key]).itemsize), dtypes[key])
    read = {}
    for name, i in names.items():
        (key, dtype), offset, shape, strides = tensors[i]
        if dtype is not np.float32:
            continue  # the number of batches that a norm has seen
        at = np.lib.stride_tricks.as_strided(storages[key][offset:], shape, [4 * s for s in strides])
        read[name] = np.ascontiguousarray(at)
    return read


# What the values of GGUF's metadata are, by their code; 8 is a string and 9 an array.
GGUF_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


def gguf(file):
    """A file of GGUF, version 2 or 3: metadata, names with shapes, kinds and offsets, and
    tensors as float32 values or as blocks of 32 that share a scale. All become float32."""
    with open(file, "rb") as f:
        data = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
    at = 0

    def take(form):
        nonlocal at
        values = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    def string():
        nonlocal at
        n = take("Q")
        at += n
        return data[at - n:at].decode("utf-8", "replace")

    def value(kind):
        if kind == 8:
            return string()
        if kind == 9:
            of, n = take("IQ")
            return [value(of) for _ in range(n)]
        return take(GGUF_SCALARS[kind])

    magic, version, n, pairs = take("IIQQ")
    if magic != 0x46554747 or version not in (2, 3):
        raise ValueError(f"{file} is not GGUF of version 2 or 3")
    meta = {}
    for _ in range(pairs):
        key = string()
        meta[key] = value(take("I"))
    infos = []
    for _ in range(n):
        name, rank = string(), take("I")
        shape = [take("Q") for _ in range(rank)][::-1]
        infos.append((name, shape, take("I"), take("Q")))
    align = meta.get("general.alignment", 32)
    begin = (at + align - 1) // align * align
    return {name: gguf_tensor(data, begin + offset, shape, kind) for name, shape, kind, offset in infos}


def gguf_tensor(data, at, shape, kind):
    size = int(np.prod(shape))
    if kind == 0:  # F32
        return np.frombuffer(data, np.float32, size, at).reshape(shape)
    if kind == 3:  # Q4_1: scale, least value, 32 numbers of 4 bits
        b = np.frombuffer(data, np.dtype([("d", "<f2"), ("m", "<f2"), ("q", "u1", 16)]), size // 32, at)
        q = np.concatenate([b["q"] & 15, b["q"] >> 4], 1).astype(np.float32)
        v = q * b["d"].astype(np.float32)[:, None] + b["m"].astype(np.float32)[:, None]
    elif kind == 8:  # Q8_0: scale, 32 numbers of 8 bits
        b = np.frombuffer(data, np.dtype([("d", "<f2"), ("q", "i1", 32)]), size // 32, at)
        v = b["q"].astype(np.float32) * b["d"].astype(np.float32)[:, None]
    else:
        raise ValueError(f"a tensor of GGUF's kind {kind}: only F32, Q4_1 and Q8_0 are read")
    return v.reshape(shape)
