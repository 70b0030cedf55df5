"""Calls of ops here, and why a sample is none."""

import torch


class Skip(Exception):
    pass


class Call:
    """A call of an op here, whose results are compared with PyTorch's in their order. An input may
    be another call, whose first result it is.

    An op None stands for its inputs, which are results of several calls.

    outputs says which results are compared: None all, a number the first ones, a list those at
    its places. processed has a function of the results that is compared, or says that the sample
    has one: of those with free signs or phases, their absolute values. drawn says of results that are
    random or of no value how they are wrong, in place of PyTorch's values.
    """

    def __init__(self, op, *inputs, outputs=None, counted=False, processed=False, drawn=None, **attrs):
        self.op, self.inputs, self.attrs = op, list(inputs), attrs
        self.outputs = list(range(outputs)) if isinstance(outputs, int) else outputs
        self.partial = isinstance(outputs, list) or processed  # further results may be floating point
        self.counted = counted  # the size of the result follows from data
        self.processed = processed
        self.drawn = drawn
        self.differentiable = drawn is None  # whether OpInfo has the sample for gradients, too

    def compared(self, ys):
        """The results that are compared, of those that the call gives."""
        return list(ys) if self.outputs is None else [ys[i] for i in self.outputs if i < len(ys)]

    def tensors(self):
        """The tensors of the call, and of the calls that its inputs are."""
        return [t for x in self.inputs for t in (x.tensors() if isinstance(x, Call) else [x])]

    def ops(self):
        return [self.op] * (self.op is not None) + [op for x in self.inputs if isinstance(x, Call) for op in x.ops()]

    def __str__(self):
        return f"{self.op or 'each'}({', '.join(str(x) if isinstance(x, Call) else str(list(x.shape)) for x in self.inputs)}) {self.attrs or ''}"


def each(*calls, **options):
    """The results of several calls, or tensors."""
    return Call(None, *calls, **options)


FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
COMPLEX = [torch.complex64, torch.complex128]
DTYPES = FLOATS + [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.bool] + COMPLEX
NAMES = {torch.bool: "bool", torch.uint8: "u8", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64",
         torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64", torch.complex64: "c64", torch.complex128: "c128"}


def continuous(x):
    """Whether x is a tensor that has a gradient."""
    return isinstance(x, torch.Tensor) and (x.is_floating_point() or x.is_complex())


def only(kwargs, *names):
    """Refuses keyword arguments that the call has no place for."""
    for k, v in kwargs.items():
        if k not in names and v is not None and v is not False:
            raise Skip(f"option {k}")


def number(x):
    return isinstance(x, (int, float, bool)) and not isinstance(x, torch.Tensor)


def constant(v, like, *dims):
    """What lazy.Full gives for a number of Python beside a tensor, as operand of a call."""
    kept = like.is_complex() or like.is_floating_point() and not isinstance(v, complex) or not isinstance(v, (float, complex))
    if isinstance(v, bool) or (isinstance(v, int) and like.dtype == torch.bool):
        kept = False
    return torch.full(dims, v, dtype=like.dtype if kept else None)


def element(v, dtype):
    """Refuses a number that is no element of a dtype, which is an error here."""
    whole = not dtype.is_floating_point and not dtype.is_complex
    if whole and (v != int(v) or v < 0 and dtype == torch.uint8 or v not in (0, 1) and dtype == torch.bool):
        raise Skip("a number that is no element of the dtype")


def times(x, v, dtype):
    """A call that multiplies x, which has a dtype, by a number, or x itself."""
    if v == 1:
        return x
    if isinstance(v, complex):
        return Call("Mul", x, torch.full((), v, dtype=dtype))
    element(v, dtype)
    return Call("MulScalar", x, v=float(v))


def converted(x, dtype):
    """A call that converts to a dtype that is asked for, or x itself."""
    return x if dtype in (None, x.dtype) else Call("Convert", x, dtype=name_of(dtype))


def summed(op, x, dtype, **attrs):
    """A sum or product, whose integers are i64 unless another dtype is asked for."""
    y = Call(op, converted(x, dtype), **attrs)
    return y if dtype in (None, torch.int64) or dtype.is_floating_point or dtype.is_complex else Call("Convert", y, dtype=name_of(dtype))


def flat(x):
    """A call that makes one axis, or x itself."""
    return x if x.dim() == 1 else Call("Reshape", x, dims=[x.numel()])


def given(*xs):
    """The tensors that are not left out."""
    return [x for x in xs if x is not None]


def listed(v):
    """A number or a list as a list."""
    return [v] if isinstance(v, int) else list(v)


def unpacked(args):
    """Sizes that are given one by one or as a list."""
    return list(args[0]) if len(args) == 1 and not isinstance(args[0], int) else list(args)


def name_of(dtype):
    if dtype not in NAMES:
        raise Skip(f"dtype {str(dtype).removeprefix('torch.')}")
    return NAMES[dtype]
