"""The program of main.go in PyTorch, to compare times and lines with."""
import argparse, gzip, os, pathlib, time

import numpy as np
import torch
from torch import nn

torch.manual_seed(1)
parser = argparse.ArgumentParser()
parser.add_argument("-data", type=pathlib.Path, default="out/inputs/fashion")
parser.add_argument("-weights")
parser.add_argument("-checkpoint")
parser.add_argument("-depth", type=int, default=18, choices=[10, 18, 34])
parser.add_argument("-width", type=int, default=16)
parser.add_argument("-images", type=int, default=60000)
parser.add_argument("-epochs", type=int, default=2)
parser.add_argument("-threads", type=int, default=0)
parser.add_argument("-golden", help="write the weights and logits of testdata to this folder, and end")


def conv(i, o, kernel, stride):
    c = nn.Conv2d(i, o, kernel, stride, kernel // 2, bias=False)
    nn.init.kaiming_normal_(c.weight, mode="fan_out", nonlinearity="relu")
    return c


class Block(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.conv1, self.bn1 = conv(i, o, 3, stride), nn.BatchNorm2d(o)
        self.conv2, self.bn2 = conv(o, o, 3, 1), nn.BatchNorm2d(o)
        if stride > 1 or i != o:
            self.downsample = nn.Sequential(conv(i, o, 1, stride), nn.BatchNorm2d(o))

    def forward(self, x):
        y = self.bn1(self.conv1(x)).relu()
        return (self.bn2(self.conv2(y)) + (self.downsample(x) if hasattr(self, "downsample") else x)).relu()


class ResNet(nn.Module):
    def __init__(self, channels, classes, width, blocks, small):
        super().__init__()
        self.small = small
        self.conv1 = conv(channels, width, 3, 1) if small else conv(channels, width, 7, 2)
        self.bn1 = nn.BatchNorm2d(width)
        i, o = width, width
        for stage, n in enumerate(blocks):
            layer = nn.Sequential()
            for k in range(n):
                layer.append(Block(i, o, 2 if stage > 0 and k == 0 else 1))
                i = o
            setattr(self, f"layer{stage + 1}", layer)
            o *= 2
        self.fc = nn.Linear(i, classes)

    def forward(self, x):
        x = self.bn1(self.conv1(x)).relu()
        if not self.small:
            x = nn.functional.max_pool2d(x, 3, 2, 1)
        for stage in self.layer1, self.layer2, self.layer3, self.layer4:
            x = stage(x)
        return self.fc(x.mean((2, 3)))


def load(part, n):
    read = lambda name, header: np.frombuffer(gzip.open(o.data / f"{part}-{name}-ubyte.gz").read(), np.uint8, offset=header)
    images, labels = read("images-idx3", 16).reshape(-1, 28, 28)[:n], read("labels-idx1", 8)[:n]
    return torch.tensor(images), torch.tensor(labels.astype(np.int64))


def values(images, labels):
    y = net(((images.float() / 255 - 0.286) / 0.353).unsqueeze(1))
    return nn.functional.cross_entropy(y, labels), (y.argmax(1) == labels).sum().item()


def golden(folder):
    """Writes small networks with random weights, running statistics among them, and the logits of an image."""
    for name, small in ("small", True), ("large", False):
        net = ResNet(2, 3, 2, [1, 1, 1, 1], small)
        for _ in range(3):
            net(torch.randn(4, 2, 64, 64) * 2 + 1)
        net.eval()
        torch.save(net.state_dict(), f"{folder}/{name}.pth")
        image = (torch.arange(2 * 64 * 64) % 97 / 97).reshape(1, 2, 64, 64)
        print(name, *(f"{x:.6f}" for x in net(image)[0].tolist()))


o = parser.parse_args()
if o.threads:
    torch.set_num_threads(o.threads)
if o.golden:
    golden(o.golden)
    raise SystemExit
training, validation = load("train", o.images), load("t10k", 10000)
net = ResNet(1, 10, o.width, {10: [1, 1, 1, 1], 18: [2, 2, 2, 2], 34: [3, 4, 6, 3]}[o.depth], True)
if o.weights:
    net.load_state_dict(torch.load(o.weights))
optimizer = torch.optim.AdamW(net.parameters())
batches = [torch.randperm(len(training[0])).split(64) for _ in range(o.epochs)]  # faster than a DataLoader
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 5e-3, total_steps=o.epochs * len(batches[0]), cycle_momentum=False)
times, first = [], 0
if o.checkpoint and os.path.exists(o.checkpoint):
    saved = torch.load(o.checkpoint)
    net.load_state_dict(saved["net"])
    optimizer.load_state_dict(saved["optimizer"])
    schedule.load_state_dict(saved["schedule"])
    first = saved["epoch"] + 1
for epoch in range(first, o.epochs):
    net.train()
    begun, total, right = time.perf_counter(), 0.0, 0
    for rows in batches[epoch]:
        start = time.perf_counter()
        loss, hits = values(training[0][rows], training[1][rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        total += loss.item() * len(rows)
        right += hits
        times.append(time.perf_counter() - start)
    net.eval()
    test_loss, test_right = 0.0, 0
    with torch.no_grad():
        for images, labels in zip(validation[0].split(512), validation[1].split(512)):
            loss, hits = values(images, labels)
            test_loss += loss.item() * len(images)
            test_right += hits
    n, m = len(training[0]), len(validation[0])
    print(f"epoch {epoch + 1}/{o.epochs}  loss {total / n:.4f} accuracy {right / n:.4f}  validation loss {test_loss / m:.4f} accuracy {test_right / m:.4f}  {time.perf_counter() - begun:.1f} s")
    if o.checkpoint:
        torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict(), "epoch": epoch}, o.checkpoint)
print(f"a step takes {1000 * np.median(times):.1f} ms (median)")
