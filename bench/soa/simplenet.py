# Dense layers in PyTorch on packed rows, in one process of T threads (the environment says), as bench/soa
# runs them on columns. usage: simplenet.py FILE.npz [eager | batches], the file with x, y (the first results),
# w0, b0, w1, b1, … Prints JSON lines as the other peers' scripts do, whose harness, common.py, it takes from PYTHONPATH.
import os
import sys
import time
import numpy as np
import torch
from common import T, emit, timeit

if os.environ.get("CLOCK") == "cpu":  # time.process_time for the harness, too
    time.perf_counter = time.process_time
torch.set_num_threads(T)
data = np.load(sys.argv[1])
x, want = torch.from_numpy(data["x"]), data["y"]
layers = []
while f"w{len(layers)}" in data:
    k = len(layers)
    layer = torch.nn.Linear(*data[f"w{k}"].shape)
    layer.weight.data, layer.bias.data = torch.from_numpy(data[f"w{k}"].T.copy()), torch.from_numpy(data[f"b{k}"])
    layers.append(layer)
parts = [m for layer in layers for m in (layer, torch.nn.ReLU())][:-1]
net = torch.nn.Sequential(*parts).eval()
result = torch.empty(len(x), 1)


def whole():
    global result
    result = net(x)


def batches():  # the values between layers stay in the caches
    for i in range(0, len(x), 4096):
        result[i : i + 4096] = net(x[i : i + 4096])


with torch.inference_mode():
    for name, call in (("eager", whole), ("batches", batches)):
        if name not in (sys.argv[2:] or [name]):
            continue
        call()
        got = result[: len(want), 0].numpy()
        if not np.allclose(got, want, atol=1e-4):
            sys.exit(f"{name}: wrong result: {got[:3]}, want {want[:3]}")
        med, least, n = timeit(call, budget=2, warm=1, min_reps=3)
        emit(f"torch_{name}_{torch.__version__.split('+')[0]}", "simplenet", med, least, n)
