"""Writes optim/testdata/torch.json: what torch.optim makes of a small model, and its schedules.

    venv/bin/python tools/goldens/optimizers.py

The model is tanh(x·w1 + b1)·w2 + b2 with a mean square error. w1 and b1 are the first group,
w2 and b2 the second. Lion and LAMB, which PyTorch lacks, are written out here.
"""

import json
import math
import pathlib

import torch
from torch.optim import lr_scheduler as schedulers

FILE = pathlib.Path(__file__).resolve().parents[2] / "optim" / "testdata" / "torch.json"
STEPS = 20


def numbers(n, seed, scale):
    g = torch.Generator().manual_seed(seed)
    return (torch.rand(n, generator=g, dtype=torch.float64) - 0.5).mul(2 * scale).float().double()


def model(dtype):
    sizes = {"w1": (2, 3), "b1": (3,), "w2": (3, 2), "b2": (2,)}
    return {k: numbers(torch.Size(s).numel(), i, 0.8).reshape(s).to(dtype).requires_grad_() for i, (k, s) in enumerate(sizes.items())}


X, Y = numbers(10, 7, 1).reshape(5, 2), numbers(10, 8, 1).reshape(5, 2)


def loss(p):
    d = p["w1"].dtype
    out = torch.tanh(X.to(d) @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]
    return ((out - Y.to(d)) ** 2).mean()


class Written(torch.optim.Optimizer):
    """An optimizer from a function of a group, a parameter, its gradient and its state."""

    def __init__(self, params, update, **defaults):
        super().__init__(params, defaults)
        self.update = update

    @torch.no_grad()
    def step(self):
        for g in self.param_groups:
            for p in g["params"]:
                s = self.state[p]
                if not s:
                    s.update(t=0, m=torch.zeros_like(p), v=torch.zeros_like(p))
                s["t"] += 1
                self.update(g, p, p.grad, s)


def lion(g, p, grad, s):
    b1, b2 = g["betas"]
    p.mul_(1 - g["lr"] * g["weight_decay"])
    p.sub_(torch.sign(s["m"] * b1 + grad * (1 - b1)) * g["lr"])
    s["m"].mul_(b2).add_(grad * (1 - b2))


def lamb(g, p, grad, s):
    b1, b2 = g["betas"]
    s["m"].mul_(b1).add_(grad * (1 - b1))
    s["v"].mul_(b2).add_(grad * grad * (1 - b2))
    u = s["m"] / (1 - b1 ** s["t"]) / ((s["v"] / (1 - b2 ** s["t"])).sqrt() + g["eps"]) + g["weight_decay"] * p
    w, n = p.norm(), u.norm()
    p.sub_(u * g["lr"] * (w / n if w > 0 and n > 0 else 1))


def written(update, **defaults):
    return lambda params: Written(params, update, **defaults)


def of(name, **arguments):
    return lambda params: getattr(torch.optim, name)(params, **arguments)


def cases():
    """A name, the optimizer, and what the second group has of its own."""
    decay = {"lr": 0.02, "weight_decay": 0.05}
    betas = decay | {"betas": (0.8, 0.95)}
    yield "sgd", of("SGD", lr=0.1), decay
    yield "sgd momentum", of("SGD", lr=0.1, momentum=0.9, dampening=0.3, weight_decay=0.01), decay | {"momentum": 0.5}
    yield "sgd nesterov", of("SGD", lr=0.1, momentum=0.9, nesterov=True), decay
    yield "sgd maximize", of("SGD", lr=0.1, momentum=0.9, maximize=True), decay
    yield "adam", of("Adam", lr=0.05), betas
    yield "adam amsgrad", of("Adam", lr=0.05, amsgrad=True, weight_decay=0.1, maximize=True), betas
    yield "adam defaults", of("Adam"), {}
    yield "adamw", of("AdamW", lr=0.05), betas
    yield "adamw amsgrad", of("AdamW", lr=0.05, amsgrad=True, eps=1e-3), {"weight_decay": 0.0}
    yield "adamax", of("Adamax", lr=0.05), betas
    yield "nadam", of("NAdam", lr=0.05), betas
    yield "nadam decoupled", of("NAdam", lr=0.05, weight_decay=0.1, decoupled_weight_decay=True, momentum_decay=0.1), {"lr": 0.02}
    yield "radam", of("RAdam", lr=0.05), betas
    yield "radam decoupled", of("RAdam", lr=0.05, weight_decay=0.1, decoupled_weight_decay=True), {"lr": 0.02}
    yield "adagrad", of("Adagrad", lr=0.1, lr_decay=0.1, initial_accumulator_value=0.2), decay
    yield "adagrad defaults", of("Adagrad"), {}
    yield "adadelta", of("Adadelta"), {"lr": 2.0, "weight_decay": 0.05}
    yield "rmsprop", of("RMSprop"), decay
    yield "rmsprop centered", of("RMSprop", lr=0.01, momentum=0.9, centered=True, alpha=0.9), decay | {"momentum": 0.5}
    yield "rprop", of("Rprop"), {"lr": 0.05}
    yield "adafactor", of("Adafactor", lr=0.1), decay
    yield "adafactor clipped", of("Adafactor", lr=0.1, d=1.5, beta2_decay=-0.5, eps=(1e-4, 1e-2), maximize=True), decay
    yield "asgd", of("ASGD", lr=0.1, lambd=0.05, alpha=0.6, t0=4), decay
    yield "lion", written(lion, lr=0.01, betas=(0.9, 0.99), weight_decay=0.0), betas
    yield "lamb", written(lamb, lr=0.01, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.01), betas
    for rate in "original", "match_rms_adamw", "spectral_unclamped":
        yield "muon " + rate, of("Muon", lr=0.02, adjust_lr_fn=rate, nesterov=rate != "spectral_unclamped"), {"lr": 0.05, "weight_decay": 0.2, "momentum": 0.8}


def trained(name, make, own, dtype, schedule=None):
    """The parameters after the first and the last step."""
    p = model(dtype)
    first, second = [p["w1"], p["b1"]], [p["w2"], p["b2"]]
    if name.startswith("muon"):
        first, second = first[:1], second[:1]
    o = make([{"params": first}, {"params": second} | own])
    s = schedule and schedule(o)
    found = []
    for step in range(STEPS):
        o.zero_grad()
        loss(p).backward()
        o.step()
        s and s.step()
        if step in (0, STEPS - 1):
            found.append(flat(p))
    return found


def flat(p):
    return [x for t in p.values() for x in t.detach().reshape(-1).tolist()]


def quasi_newton(dtype, **arguments):
    """The parameters, and the losses that the steps begin with."""
    p = model(dtype)
    o = torch.optim.LBFGS(list(p.values()), **arguments)

    def closure():
        o.zero_grad()
        y = loss(p)
        if arguments.get("maximize"):
            y = -y
        y.backward()
        return y

    losses = [o.step(closure).item() for _ in range(5)]
    return {"losses": losses, "params": flat(p), "evaluations": o.state[o._params[0]]["func_evals"]}


def rates():
    """Values of schedules of one group of rate 0.1 over 50 steps."""

    def run(make, momentum=False, metric=None):
        w = torch.nn.Parameter(torch.zeros(1))
        o = torch.optim.SGD([w], lr=0.1, momentum=0.5)
        s = make(o)
        lrs, momenta = [], []
        for step in range(50):
            lrs.append(o.param_groups[0]["lr"])
            momenta.append(o.param_groups[0]["momentum"])
            o.step()
            s.step(*([] if metric is None else [metric(step)]))
        return (lrs, momenta) if momentum else lrs

    def warmed(then):
        return lambda o: schedulers.SequentialLR(o, [schedulers.LinearLR(o, 0.1, total_iters=8), then(o)], [8])

    found = {
        "step": run(lambda o: schedulers.StepLR(o, 7, 0.3)),
        "multistep": run(lambda o: schedulers.MultiStepLR(o, [30, 5, 12], 0.4)),
        "exponential": run(lambda o: schedulers.ExponentialLR(o, 0.93)),
        "cosine": run(lambda o: schedulers.CosineAnnealingLR(o, 20, 0.01)),
        "restarts": run(lambda o: schedulers.CosineAnnealingWarmRestarts(o, 6, 1, 0.01)),
        "growing restarts": run(lambda o: schedulers.CosineAnnealingWarmRestarts(o, 6, 2, 0.01)),
        "linear": run(lambda o: schedulers.LinearLR(o, 0.2, 0.9, 30)),
        "factor": run(lambda o: schedulers.ConstantLR(o, 0.25, 11)),
        "polynomial": run(lambda o: schedulers.PolynomialLR(o, 40, 1.7)),
        "warm up": run(warmed(lambda o: schedulers.CosineAnnealingLR(o, 42))),
        "sequence": run(lambda o: schedulers.SequentialLR(o, [schedulers.ConstantLR(o, 0.5, 9), schedulers.ExponentialLR(o, 0.9), schedulers.StepLR(o, 4)], [9, 30])),
    }
    for name, arguments in {"one cycle": {}, "one cycle lines": {"anneal_strategy": "linear"}, "three phases": {"three_phase": True, "pct_start": 0.4, "div_factor": 10.0}}.items():
        found[name], found[name + " momentum"] = run(lambda o: schedulers.OneCycleLR(o, 0.5, total_steps=51, **arguments), True)
    for mode in "triangular", "triangular2", "exp_range":
        found[mode], found[mode + " momentum"] = run(lambda o: schedulers.CyclicLR(o, 0.01, 0.2, 5, 8, mode=mode, gamma=0.97), True)
    falling = lambda step: 1 / (1 + min(step, 12))
    rising = lambda step: min(step, 9) % 7
    found["plateau"] = run(lambda o: schedulers.ReduceLROnPlateau(o, factor=0.5, patience=3, cooldown=2, min_lr=0.004), metric=falling)
    found["plateau rising"] = run(lambda o: schedulers.ReduceLROnPlateau(o, "max", 0.7, 4, 0.5, "abs"), metric=rising)
    return found


def narrow():
    """bf16 parameters with f32 masters, and gradients that do not depend on them."""
    w = numbers(6, 3, 2).bfloat16().float().requires_grad_()
    start = w.tolist()
    o = torch.optim.AdamW([w], lr=1e-3)
    grads = []
    for step in range(STEPS):
        w.grad = numbers(6, 100 + step, 1).bfloat16().float()
        grads.append(w.grad.tolist())
        o.step()
    return {"start": start, "grads": grads, "master": w.tolist(), "param": w.bfloat16().float().tolist()}


def averages():
    """Moving averages of a parameter, and equal ones, after each of some updates."""
    from torch.optim import swa_utils

    values = numbers(24, 5, 1).reshape(8, 3)
    found = {"values": values.tolist()}
    for name, arguments in {"ema": {"multi_avg_fn": swa_utils.get_ema_multi_avg_fn(0.9)}, "swa": {}}.items():
        m = torch.nn.ParameterList([torch.nn.Parameter(values[0].clone())])
        a = swa_utils.AveragedModel(m, **arguments)
        found[name] = []
        for v in values:
            m[0].data.copy_(v)
            a.update_parameters(m)
            found[name].append(a.module[0].tolist())
    return found


def clips():
    grads = [numbers(6, 11, 3), numbers(3, 12, 3)]
    ps = [torch.nn.Parameter(torch.zeros_like(g)) for g in grads]
    found = {"grads": [g.tolist() for g in grads]}
    for name, clip, limit in ("norm", torch.nn.utils.clip_grad_norm_, 2.0), ("wide norm", torch.nn.utils.clip_grad_norm_, 100.0), ("value", torch.nn.utils.clip_grad_value_, 0.7):
        for p, g in zip(ps, grads):
            p.grad = g.clone()
        total = clip(ps, limit)
        found[name] = {"limit": limit, "norm": 0 if total is None else total.item(), "grads": [p.grad.tolist() for p in ps]}
    return found


def scaler():
    """The scales of GradScaler over 50 steps, some with gradients that are not finite."""
    values = numbers(50, 13, 3).tolist()
    for i, v in {3: math.inf, 4: -math.inf, 17: math.nan, 30: math.inf, 46: math.nan}.items():
        values[i] = v
    found = {"values": [v if math.isfinite(v) else str(v) for v in values]}
    for name, arguments in {"plain": {"init_scale": 1024.0, "growth_interval": 4}, "largest": {"init_scale": 2.0**126, "growth_factor": 4.0, "backoff_factor": 0.25, "growth_interval": 3}}.items():
        p = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
        o = torch.optim.Adam([p], lr=0.1)
        s = torch.amp.GradScaler("cpu", **arguments)
        found[name] = {"scales": [], "params": []}
        for v in values:
            o.zero_grad()
            # An infinite gradient, and a loss that is none: the product with the scale may overflow.
            p.grad = torch.tensor([v, 0.5]) * s.scale(torch.tensor(1.0)).double().item() if math.isfinite(v) else torch.tensor([v, 0.5])
            s.step(o)
            s.update()
            found[name]["scales"].append(s.get_scale())
            found[name]["params"].append(p.tolist())
    return found


def main():
    torch.set_num_threads(1)
    start = model(torch.float64)
    found = {
        "start": {k: v.tolist() for k, v in start.items()},
        "x": X.tolist(),
        "y": Y.tolist(),
        "optimizers": {},
        "schedules": rates(),
        "narrow": narrow(),
        "averages": averages(),
        "clips": clips(),
        "scaler": scaler(),
    }
    for name, make, own in cases():
        found["optimizers"][name] = {str(d)[-2:]: trained(name, make, own, d) for d in (torch.float64, torch.float32)}
    cycle = lambda o: schedulers.OneCycleLR(o, [0.1, 0.02], total_steps=STEPS + 1)
    for name, make in ("sgd one cycle", of("SGD", lr=0.1, momentum=0.9)), ("adamw one cycle", of("AdamW", lr=0.1)):
        found["optimizers"][name] = {str(d)[-2:]: trained(name, make, {"lr": 0.02}, d, cycle) for d in (torch.float64, torch.float32)}
    for name, arguments in {"lbfgs": {"lr": 0.3}, "lbfgs wolfe": {"line_search_fn": "strong_wolfe", "max_iter": 8, "history_size": 4}, "lbfgs maximize": {"lr": 0.3, "max_iter": 6, "history_size": 3, "maximize": True}}.items():
        found["optimizers"][name] = quasi_newton(torch.float64, **arguments)
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(rounded(found), indent=0).replace(",\n", ",").replace("[\n", "[").replace("\n]", "]"))
    print(FILE, FILE.stat().st_size, "bytes")


def rounded(x):
    """Numbers of 15 digits: what f64 holds of any decimal number."""
    if isinstance(x, dict):
        return {k: rounded(v) for k, v in x.items()}
    if isinstance(x, list):
        return [rounded(v) for v in x]
    return x if isinstance(x, str) else float(f"{x:.15g}")


if __name__ == "__main__":
    main()
