"""The program of main.go in PyTorch, to compare times and lines with: pytorch.py DIR [epochs]."""
import gzip, pathlib, sys, time

import numpy as np
import torch
from torch import nn

torch.set_num_threads(2)
torch.manual_seed(1)
folder, epochs = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3


def load(part):
    read = lambda name, header: np.frombuffer(gzip.open(folder / f"{part}-{name}-ubyte.gz").read(), np.uint8, offset=header)
    images, labels = read("images-idx3", 16).reshape(-1, 28, 28), read("labels-idx1", 8)
    return torch.tensor(images), torch.tensor(labels.astype(np.int64))


some, others = load("train"), load("t10k")
conv = lambda i, o: nn.Conv2d(i, o, 3, padding=1)
net = nn.Sequential(
    conv(1, 16), nn.ReLU(), nn.MaxPool2d(2),
    conv(16, 32), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(32 * 7 * 7, 128), nn.ReLU(),
    nn.Linear(128, 10),
)
optimizer = torch.optim.AdamW(net.parameters())
batches = [torch.randperm(len(some[0])).split(64) for _ in range(epochs)]  # faster than a DataLoader
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 5e-3, total_steps=epochs * len(batches[0]))
times = []
for epoch in range(epochs):
    total, right = 0.0, 0
    for rows in batches[epoch]:
        begun = time.perf_counter()
        images, labels = some[0][rows], some[1][rows]
        logits = net(((images.float() / 255 - 0.286) / 0.353).unsqueeze(1))
        loss = nn.functional.cross_entropy(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        total += loss.item() * len(rows)
        right += (logits.argmax(1) == labels).sum().item()
        times.append(time.perf_counter() - begun)
    with torch.no_grad():
        hits = sum((net(((x.float() / 255 - 0.286) / 0.353).unsqueeze(1)).argmax(1) == y).sum().item() for x, y in zip(others[0].split(1024), others[1].split(1024)))
    print(f"epoch {epoch + 1}/{epochs}  loss {total / len(some[0]):.4f} accuracy {right / len(some[0]):.4f}  test accuracy {hits / len(others[0]):.4f}")
print(f"a step takes {1000 * np.median(times):.1f} ms (median)")
