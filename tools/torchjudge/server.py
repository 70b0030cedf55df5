"""The process that answers calls: ltc-dump op -serve."""

import base64
import json
import subprocess

import torch

from calls import NAMES

TYPES = {n: d for d, n in NAMES.items()}


class Refused(Exception):
    """The error of a call."""


class Server:
    def __init__(self, binary, backend):
        self.command = [binary, "op", "-serve", "-backend", backend]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, call, inputs, **more):
        """Calls an op, and returns its results and the gradients for its inputs."""
        answer = self.answer(call, inputs, **more)
        return decoded(answer, "results"), decoded(answer, "gradients")

    def ask_second(self, call, inputs, **more):
        """Returns the gradients of the weighted sum of a call's gradients: for its inputs that are
        floating point or complex, and for its cotangents."""
        answer = self.answer(call, inputs, grad2=True, **more)
        return decoded(answer, "seconds"), decoded(answer, "tangents")

    def answer(self, call, inputs, **more):
        request = {"op": call.op, "attrs": {k: text(v) for k, v in call.attrs.items()}, "inputs": [encode(x) for x in inputs], **more}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            self.start()
            raise Refused("ltc-dump ended")
        answer = json.loads(line)
        if "error" in answer:
            raise Refused(answer["error"])
        return answer


def decoded(answer, name):
    return [a and decode(a) for a in answer.get(name, [])]


def encode(t):
    t = t.detach().contiguous().resolve_conj().resolve_neg()
    t = t.clone() if t._is_zerotensor() else t
    raw = (t.view(torch.int16) if t.dtype == torch.bfloat16 else t).numpy().tobytes()
    return {"dtype": NAMES[t.dtype], "shape": list(t.shape), "data": base64.b64encode(raw).decode()}


def decode(a):
    d = TYPES[a["dtype"]]
    raw = bytearray(base64.b64decode(a["data"] or ""))
    if not raw:
        return torch.empty(a["shape"], dtype=d)
    t = torch.frombuffer(raw, dtype=d)
    return t.reshape(a["shape"])


def text(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, (list, tuple)):
        return ",".join(str(int(x)) for x in v)
    return str(v)
