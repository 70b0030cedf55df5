"""The program of main.go in PyTorch, to compare times and lines with."""
import argparse, glob, os, time

import torch
from torch import nn

torch.set_num_threads(2)
torch.manual_seed(1)
parser = argparse.ArgumentParser()
parser.add_argument("-text", default="lazy/*.go")
parser.add_argument("-checkpoint")
parser.add_argument("-epochs", type=int, default=1)
o = parser.parse_args()
window, hidden = 64, 192
text = "".join(open(p).read() for p in sorted(glob.glob(o.text)))
alphabet = sorted(set(text))
number = {c: i for i, c in enumerate(alphabet)}
characters = torch.tensor([number[c] for c in text])
n = (len(characters) - 1) // window
x, y = characters[: n * window].reshape(n, window), characters[1 : n * window + 1].reshape(n, window)
held = torch.arange(n) % 20 == 19
training, validation = (x[~held], y[~held]), (x[held], y[held])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(len(alphabet), 64)
        self.lstm = nn.LSTM(64, hidden, batch_first=True)
        self.head = nn.Linear(hidden, len(alphabet))

    def forward(self, x, state=None):
        y, next = self.lstm(self.embedding(x), state)
        return self.head(y), next


def loss_of(rows, part):
    logits, _ = net(part[0][rows])
    return nn.functional.cross_entropy(logits.flatten(0, 1), part[1][rows].flatten())


net = Net()
optimizer = torch.optim.AdamW(net.parameters())
order = [torch.randperm(len(training[0])).split(32) for _ in range(o.epochs)]
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 8e-3, total_steps=o.epochs * len(order[0]), cycle_momentum=False)
first = 0
if o.checkpoint and os.path.exists(o.checkpoint):
    saved = torch.load(o.checkpoint)
    net.load_state_dict(saved["net"])
    optimizer.load_state_dict(saved["optimizer"])
    schedule.load_state_dict(saved["schedule"])
    first = saved["epoch"] + 1
for epoch in range(first, o.epochs):
    begun, total = time.perf_counter(), 0.0
    for rows in order[epoch]:
        loss = loss_of(rows, training)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        total += loss.item() * len(rows)
    with torch.no_grad():
        test = sum(loss_of(rows, validation).item() * len(rows) for rows in torch.arange(len(validation[0])).split(32)) / len(validation[0])
    print(f"epoch {epoch + 1}/{o.epochs}  loss {total / len(training[0]):.4f}  validation loss {test:.4f}  {time.perf_counter() - begun:.1f} s")
    if o.checkpoint:
        torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict(), "epoch": epoch}, o.checkpoint)
written = []
with torch.no_grad():
    logits, state = net(x[:1])
    for _ in range(400):
        c = torch.multinomial(logits[:, -1].softmax(-1), 1)
        written.append(alphabet[c.item()])
        logits, state = net(c, state)
print("".join(written))
