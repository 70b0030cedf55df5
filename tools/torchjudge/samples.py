"""How a sample of PyTorch's OpInfo becomes a call here.

CALLS has a function for each op. It takes the sample's input, arguments and keyword
arguments, and returns the call: the Go name, its tensors, its attributes. Or it raises Skip
with the reason for which the sample is no call of one op here.
"""

import torch

import networks
from calls import DTYPES, FLOATS, Call, Skip, number, only


def unary(op):
    def call(x, *args, **kwargs):
        if args:
            raise Skip("further arguments")
        only(kwargs)
        return Call(op, x)

    return call


def binary(op, with_number=None, dims=True):
    def call(x, y, *args, **kwargs):
        only(kwargs)
        if args:
            raise Skip("further arguments")
        if number(x):
            raise Skip("a number before the tensor")
        if number(y) or isinstance(y, complex):
            if isinstance(y, complex):
                raise Skip("complex numbers")
            if with_number is None:
                raise Skip("a number for a tensor")
            if isinstance(y, float) and not x.dtype.is_floating_point:
                raise Skip("a number that is no element of the dtype")
            return Call(with_number, x, v=float(y))
        return Call(op, x, y)

    return call


def dims_of(x, dim):
    if dim is None:
        return []
    return [dim] if isinstance(dim, int) else list(dim)


def reduction(op, keep=None):
    def call(x, dim=None, keepdim=False, **kwargs):
        if isinstance(dim, bool):
            raise Skip("further arguments")
        only(kwargs)
        axes = dims_of(x, dim)
        if keepdim:
            if keep is None:
                raise Skip("option keepdim")
            return Call(keep, x, axes=axes)
        return Call(op, x, axes=axes)

    return call


def along(op, attr="axis", **extra):
    def call(x, dim=None, *args, **kwargs):
        only(kwargs)
        if args or dim is None or not isinstance(dim, int) or isinstance(dim, bool):
            raise Skip("further arguments, or no axis")
        return Call(op, x, **{attr: dim}, **extra)

    return call


def moments(op, keep):
    """Variances and deviations, whose correction is 1 where none is given."""

    def call(x, dim=None, unbiased=None, keepdim=False, *, correction=None):
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        c = correction if correction is not None else 1 if unbiased is None else int(unbiased)
        return Call(keep if keepdim else op, x, correction=float(c), axes=dims_of(x, dim))

    return call


def extreme(op):
    def call(x, dim, keepdim=False):
        return Call(op + "Keep" if keepdim else op, x, axis=dim)

    return call


def arg_extreme(op):
    def call(x, dim=None, keepdim=False):
        if dim is None:
            raise Skip("no axis: the index in the flattened tensor, which is Reshape and this op here")
        return Call(op + "Keep" if keepdim else op, x, axis=dim)

    return call


def norm(x, ord=2, dim=None, keepdim=False, dtype=None):
    if dtype is not None:
        raise Skip("option dtype")
    return Call("NormKeep" if keepdim else "Norm", x, p=float(ord), axes=dims_of(x, dim))


def matmul(x, y, **kwargs):
    return Call("MatMul", x, y)


def masked_scatter(x, mask, source):
    if mask.dim() > x.dim() or torch.broadcast_shapes(mask.shape, x.shape) != x.shape:
        raise Skip("a mask that does not broadcast to x")
    return Call("MaskedScatter", x, mask, source)


def nonzero(x, as_tuple=False):
    if as_tuple:
        raise Skip("option as_tuple: columns of the result here")
    return Call("Nonzero", x)


def unique(x, sorted=True, return_inverse=False, return_counts=False, dim=None):
    if dim is not None:
        raise Skip("option dim")
    if not sorted:
        raise Skip("option sorted: an order that is not defined")
    if return_counts and not return_inverse:
        raise Skip("counts without places: two calls here")
    if x.dtype == torch.bool:
        raise Skip("dtype bool")
    if return_inverse:
        return Call("UniqueAll", x, outputs=3 if return_counts else 2, counted=True)
    return Call("Unique", x, counted=True)


def where(x, condition, y):
    if number(x) or number(y):
        raise Skip("a number for a tensor")
    return Call("Where", condition, x, y)


def transpose(x, a, b):
    if x.dim() == 0:
        raise Skip("axes of a scalar, whose order nothing can change")
    return Call("SwapAxes", x, axis1=a, axis2=b)


def permute(x, *dims, **kwargs):
    dims = kwargs.get("dims", dims)
    dims = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    return Call("Transpose", x, perm=[d % max(x.dim(), 1) for d in dims])


def shape(op, attr):
    def call(x, *dims, **kwargs):
        only(kwargs)
        dims = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
        if isinstance(dims, torch.Tensor):
            dims = dims.shape
        return Call(op, x, **{attr: list(dims)})

    return call


def expand(x, *dims):
    dims = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    if isinstance(dims, torch.Tensor):
        dims = dims.shape
    dims = list(dims)
    for i in range(1, x.dim() + 1):
        if dims[-i] == -1:
            dims[-i] = x.shape[-i]
    return Call("BroadcastTo", x, dims=dims)


def cat(tensors, dim=0, **kwargs):
    tensors = [t for t in tensors if not (t.dim() == 1 and t.numel() == 0)] or tensors[:1]
    return Call("Concatenate", *tensors, axis=dim)


def flip(x, *dims, **kwargs):
    dims = kwargs.get("dims", dims)
    dims = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    if not dims:
        raise Skip("no axes, which stand for all here")
    return Call("Reverse", x, axes=list(dims))


def sort(x, dim=-1, descending=False, stable=None):
    if x.dtype == torch.bool:
        raise Skip("orders of bool")
    return Call("Sort", x, axis=dim, descending=bool(descending), outputs=None if stable else 1)


def argsort(x, dim=-1, descending=False, stable=False):
    if descending or not stable:
        raise Skip("option descending, or an order of equal elements that is not defined")
    return Call("ArgSort", x, axis=dim)


def topk(x, k, dim=-1, largest=True, sorted=True):
    if not largest:
        raise Skip("option largest")
    return Call("TopK", x, k=k, axis=dim, outputs=1)


def squeeze(x, *dim, **kwargs):
    dim = dim[0] if dim else kwargs.get("dim")
    if dim == () or dim == []:
        raise Skip("no axes")
    dims = dims_of(x, dim)
    dims = [d for d in dims if x.dim() and x.shape[d] == 1] if dims else [i for i, n in enumerate(x.shape) if n == 1]
    if not dims:
        raise Skip("nothing to squeeze")
    return Call("Squeeze", x, axes=dims)


def index_add(x, dim, index, source, alpha=1):
    if alpha != 1:
        raise Skip("option alpha")
    if index.dim() == 0 and x.dim():
        raise Skip("an index without an axis")
    return Call("IndexAdd", x, index, source, axis=dim)


def index_copy(x, dim, index, source):
    if index.dim() == 0 and x.dim():
        raise Skip("an index without an axis")
    return Call("IndexCopy", x, index, source, axis=dim)


def index_select(x, dim, index):
    if index.dim() == 0 and x.dim():
        raise Skip("an index without an axis")
    return Call("IndexSelect", x, index, axis=dim)


def gather(x, dim, index, **kwargs):
    if index.dim() == 0 and x.dim():
        raise Skip("an index without an axis")
    return Call("GatherAlong", x, index, axis=dim)


def scatter(op):
    def call(x, dim, index, src=None, **kwargs):
        src = kwargs.pop("value", src)
        only(kwargs)
        if not isinstance(src, torch.Tensor):
            raise Skip("a number for a tensor")
        if index.dim() == 0 and x.dim():
            raise Skip("an index without an axis")
        if kwargs.get("reduce"):
            raise Skip("option reduce")
        return Call(op, x, index, src, axis=dim)

    return call


def scatter_reduce(op):
    def call(x, dim, index, src, reduce, include_self=True):
        if not include_self:
            raise Skip("option include_self")
        if index.dim() == 0 and x.dim():
            raise Skip("an index without an axis")
        return Call(op, x, index, src, axis=dim)

    return call


def attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    if dropout_p:
        raise Skip("dropout")
    attrs = {"causal": is_causal}
    if scale is not None:
        attrs["scale"] = scale
    return Call("nn.ScaledDotProductAttention", q, k, v, *([attn_mask] if attn_mask is not None else []), **attrs)


def one_hot(x, num_classes=-1):
    if num_classes < 0:
        raise Skip("classes counted from the data")
    return Call("OneHot", x, classes=num_classes, dtype="i64")


def convert(dtype):
    return lambda x, **kwargs: Call("Convert", x, dtype=dtype)


def with_alpha(op, with_number):
    plain = binary(op, with_number)

    def call(x, y, alpha=1, **kwargs):
        if alpha != 1:
            raise Skip("option alpha")
        return plain(x, y, **kwargs)

    return call


def clone(x, **kwargs):
    return Call("Clone", x)


def softmax(op):
    plain = along(op)

    def call(x, dim=None, dtype=None, **kwargs):
        if dtype is not None:
            raise Skip("option dtype")
        return plain(x, dim)

    return call


CALLS = {
    **{n: unary(g) for n, g in {
        "acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan", "atanh": "Atanh", "ceil": "Ceil", "cos": "Cos", "cosh": "Cosh", "erf": "Erf", "erfc": "Erfc", "erfinv": "ErfInv",
        "exp": "Exp", "exp2": "Exp2", "expm1": "Expm1", "floor": "Floor", "frac": "Frac", "lgamma": "Lgamma", "digamma": "Digamma", "log": "Log", "log10": "Log10", "log1p": "Log1p", "log2": "Log2", "round": "Round",
        "reciprocal": "Reciprocal", "rsqrt": "Rsqrt", "sigmoid": "Sigmoid", "sin": "Sin", "sinh": "Sinh", "sqrt": "Sqrt", "tan": "Tan", "tanh": "Tanh", "trunc": "Trunc", "deg2rad": "Deg2Rad", "rad2deg": "Rad2Deg",
        "isfinite": "IsFinite", "isinf": "IsInf", "isnan": "IsNaN", "isposinf": "IsPosInf", "isneginf": "IsNegInf",
        "special.i0e": "special.I0e", "special.i1": "special.I1", "special.i1e": "special.I1e", "i0": "special.I0", "special.ndtr": "special.Ndtr", "special.ndtri": "special.Ndtri", "special.log_ndtr": "special.LogNdtr",
        "special.entr": "special.Entr", "special.erfcx": "special.Erfcx", "sinc": "special.Sinc",
        "nn.functional.silu": "nn.SiLU", "nn.functional.mish": "nn.Mish", "nn.functional.softsign": "nn.Softsign", "nn.functional.tanhshrink": "nn.TanhShrink", "nn.functional.logsigmoid": "nn.LogSigmoid",
        "nn.functional.hardsigmoid": "nn.HardSigmoid", "nn.functional.hardswish": "nn.HardSwish", "nn.functional.relu6": "nn.ReLU6", "nn.functional.selu": "nn.SELU",
    }.items()},
    **{n: unary(g) for n, g in {"abs": "Abs", "neg": "Neg", "sign": "Sign", "square": "Square", "signbit": "SignBit", "nn.functional.relu": "ReLU", "bitwise_not": "Not"}.items()},
    "add": with_alpha("Add", "AddScalar"), "sub": with_alpha("Sub", "SubScalar"), "mul": binary("Mul", "MulScalar"),
    "div.no_rounding_mode": binary("Div", "DivScalar"), "true_divide": binary("Div", "DivScalar"),
    "fmod": binary("Rem", "RemScalar"), "remainder": binary("Remainder", "RemainderScalar"), "floor_divide": binary("FloorDivide", "FloorDivideScalar"), "pow": binary("Pow", "PowScalar"), "atan2": binary("Atan2"),
    "hypot": binary("Hypot"), "copysign": binary("CopySign"), "nextafter": binary("NextAfter"), "logaddexp": binary("LogAddExp"),
    "logaddexp2": binary("LogAddExp2"), "heaviside": binary("Heaviside"), "fmax": binary("FMax"), "fmin": binary("FMin"), "xlogy": binary("Xlogy"),
    "special.xlog1py": binary("special.Xlog1py"), "special.zeta": binary("special.Zeta"),
    "maximum": binary("Maximum"), "minimum": binary("Minimum"), "max.binary": binary("Maximum"), "min.binary": binary("Minimum"),
    "bitwise_and": binary("And"), "bitwise_or": binary("Or"), "bitwise_xor": binary("Xor"), "bitwise_left_shift": binary("ShiftLeft"), "bitwise_right_shift": binary("ShiftRight"),
    "eq": binary("Equal", "EqualScalar"), "ne": binary("NotEqual", "NotEqualScalar"), "lt": binary("Less", "LessScalar"), "le": binary("LessEqual", "LessEqualScalar"), "gt": binary("Greater", "GreaterScalar"),
    "ge": binary("GreaterEqual", "GreaterEqualScalar"),
    "sum": reduction("Sum", "SumKeep"), "mean": reduction("Mean", "MeanKeep"), "amax": reduction("Max", "MaxKeep"), "amin": reduction("Min", "MinKeep"),
    "prod": reduction("Prod", "ProdKeep"), "logsumexp": reduction("LogSumExp", "LogSumExpKeep"), "all": reduction("All", "AllKeep"), "any": reduction("Any", "AnyKeep"),
    "argmax": arg_extreme("ArgMax"), "argmin": arg_extreme("ArgMin"), "sort": sort, "argsort": argsort, "topk": topk,
    "var": moments("Var", "VarKeep"), "std": moments("Std", "StdKeep"), "max.reduction_with_dim": extreme("MaxWithIndices"), "min.reduction_with_dim": extreme("MinWithIndices"),
    "linalg.vector_norm": norm, "count_nonzero": reduction("CountNonzero"), "nansum": reduction("NaNSum", "NaNSumKeep"), "nanmean": reduction("NaNMean", "NaNMeanKeep"),
    "cumsum": along("CumSum"), "cumprod": along("CumProd"), "cummax": along("CumMax"), "cummin": along("CumMin"), "logcumsumexp": along("LogCumSumExp"),
    "softmax": softmax("Softmax"), "log_softmax": softmax("LogSoftmax"),
    "nonzero": nonzero, "unique": unique, "matmul": matmul, "mm": matmul, "bmm": matmul, "where": where, "clone": clone, "contiguous": clone,
    "transpose": transpose, "permute": permute, "permute_copy": permute, "t": lambda x: Call("Transpose", x) if x.dim() == 2 else Call("Clone", x), "reshape": shape("Reshape", "dims"), "view": shape("Reshape", "dims"),
    "view_copy": shape("Reshape", "dims"), "expand": expand, "expand_as": expand, "expand_copy": expand, "broadcast_to": expand,
    "cat": cat, "flip": flip, "squeeze": squeeze, "squeeze.multiple": squeeze, "squeeze_copy": squeeze, "unsqueeze": along("Unsqueeze"), "unsqueeze_copy": along("Unsqueeze"),
    "select": lambda x, dim, index: Call("Select", x, axis=dim, index=index), "narrow": lambda x, dim, start, length: Call("Narrow", x, axis=dim, start=int(start), length=length),
    "diagonal": lambda x, offset=0, dim1=0, dim2=1: Call("Diagonal", x, offset=offset, axis1=dim1, axis2=dim2), "diagonal_copy": lambda x, offset=0, dim1=0, dim2=1: Call("Diagonal", x, offset=offset, axis1=dim1, axis2=dim2),
    "tril": lambda x, diagonal=0: Call("Tril", x, diagonal=diagonal), "triu": lambda x, diagonal=0: Call("Triu", x, diagonal=diagonal),
    "index_select": index_select, "index_add": index_add, "index_copy": index_copy, "gather": gather, "scatter": scatter("ScatterAlong"), "scatter_add": scatter("ScatterAddAlong"),
    "scatter_reduce.sum": scatter_reduce("ScatterAddAlong"), "scatter_reduce.prod": scatter_reduce("ScatterMulAlong"), "scatter_reduce.amin": scatter_reduce("ScatterMinAlong"),
    "scatter_reduce.amax": scatter_reduce("ScatterMaxAlong"), "masked_scatter": masked_scatter, "masked_select": lambda x, mask: Call("MaskedSelect", x, mask, counted=True),
    "nn.functional.one_hot": one_hot, "nn.functional.scaled_dot_product_attention": attention,
    "nn.functional.gelu": lambda x, approximate="none": Call("GELU" if approximate == "none" else "nn.GELUTanh", x), "nn.functional.glu": lambda x, dim=-1: Call("nn.GLU", x, axis=dim),
    "bfloat16": convert("bf16"), "bool": convert("bool"), "byte": convert("u8"), "char": convert("i8"), "double": convert("f64"), "float": convert("f32"), "half": convert("f16"), "int": convert("i32"),
    "long": convert("i64"), "short": convert("i16"),
    **networks.CALLS,
}
