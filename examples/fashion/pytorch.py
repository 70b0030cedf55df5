"""The program of main.go in PyTorch, to compare times and lines with."""
import argparse, gzip, os, pathlib, time

import numpy as np
import torch
from torch import nn

torch.set_num_threads(2)
torch.manual_seed(1)
parser = argparse.ArgumentParser()
parser.add_argument("-data", type=pathlib.Path, default="out/inputs/fashion")
parser.add_argument("-checkpoint")
parser.add_argument("-epochs", type=int, default=3)
o = parser.parse_args()


def load(part):
    read = lambda name, header: np.frombuffer(gzip.open(o.data / f"{part}-{name}-ubyte.gz").read(), np.uint8, offset=header)
    images, labels = read("images-idx3", 16).reshape(-1, 28, 28), read("labels-idx1", 8)
    return torch.tensor(images), torch.tensor(labels.astype(np.int64))


training, validation = load("train"), load("t10k")
conv = lambda i, o: nn.Conv2d(i, o, 3, padding=1)
net = nn.Sequential(
    conv(1, 16), nn.ReLU(), nn.MaxPool2d(2),
    conv(16, 32), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(32 * 7 * 7, 128), nn.ReLU(),
    nn.Linear(128, 10),
)


def values(images, labels):
    logits = net(((images.float() / 255 - 0.286) / 0.353).unsqueeze(1))
    return nn.functional.cross_entropy(logits, labels), (logits.argmax(1) == labels).sum().item()


optimizer = torch.optim.AdamW(net.parameters())
batches = [torch.randperm(len(training[0])).split(64) for _ in range(o.epochs)]  # faster than a DataLoader
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 5e-3, total_steps=o.epochs * len(batches[0]), cycle_momentum=False)
first = 0
if o.checkpoint and os.path.exists(o.checkpoint):
    saved = torch.load(o.checkpoint)
    net.load_state_dict(saved["net"])
    optimizer.load_state_dict(saved["optimizer"])
    schedule.load_state_dict(saved["schedule"])
    first = saved["epoch"] + 1
for epoch in range(first, o.epochs):
    begun, total, right = time.perf_counter(), 0.0, 0
    for rows in batches[epoch]:
        loss, hits = values(training[0][rows], training[1][rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        total += loss.item() * len(rows)
        right += hits
    test_loss, test_right = 0.0, 0
    with torch.no_grad():
        for images, labels in zip(validation[0].split(1024), validation[1].split(1024)):
            loss, hits = values(images, labels)
            test_loss += loss.item() * len(images)
            test_right += hits
    n, m = len(training[0]), len(validation[0])
    print(f"epoch {epoch + 1}/{o.epochs}  loss {total / n:.4f} accuracy {right / n:.4f}  validation loss {test_loss / m:.4f} accuracy {test_right / m:.4f}  {time.perf_counter() - begun:.1f} s")
    if o.checkpoint:
        torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict(), "epoch": epoch}, o.checkpoint)
