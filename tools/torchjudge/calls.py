"""Calls of ops here, and why a sample is none."""

import torch


class Skip(Exception):
    pass


class Call:
    def __init__(self, op, *inputs, outputs=None, counted=False, **attrs):
        self.op, self.inputs, self.attrs = op, list(inputs), attrs
        self.outputs = outputs  # how many of the results are compared; None: all
        self.counted = counted  # the size of the result follows from data


FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
DTYPES = FLOATS + [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.bool]


def only(kwargs, *names):
    """Refuses keyword arguments that the call has no place for."""
    for k, v in kwargs.items():
        if k not in names and v is not None and v is not False:
            raise Skip(f"option {k}")


def number(x):
    return isinstance(x, (int, float, bool)) and not isinstance(x, torch.Tensor)

