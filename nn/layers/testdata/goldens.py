"""Writes torch.safetensors: what layers of PyTorch compute and learn, for golden_test.go.

For each case it has the state before (state/NAME), the inputs (in/0 …), the result (out), a gradient of the
result (ct), the gradients of parameters (grad/NAME) and of inputs (din/0 …), and the state after (after/NAME).
Run it with torch 2.15.0: python goldens.py
"""

import json
import pathlib
import struct

import torch
from torch import nn

torch.manual_seed(0)
tensors = {}


def put(name, t):
    tensors[name] = t.detach().clone().contiguous()


def case(name, net, *inputs, eval=False, call=None):
    for p in net.parameters():  # weights of norms are no ones, so that a mistake shows
        p.data = torch.randn_like(p) * 0.5
    net.train(not eval)
    for k, v in net.state_dict().items():
        put(f"{name}/state/{k}", v)
    for i, x in enumerate(inputs):
        put(f"{name}/in/{i}", x)
        if x.is_floating_point():
            x.requires_grad_()
    out = (call or net)(*inputs)
    put(f"{name}/out", out)
    ct = torch.randn_like(out)
    put(f"{name}/ct", ct)
    if out.requires_grad:
        out.backward(ct)
    for k, p in net.named_parameters():
        if p.grad is not None:
            put(f"{name}/grad/{k}", p.grad)
    for i, x in enumerate(inputs):
        if x.grad is not None:
            put(f"{name}/din/{i}", x.grad)
    for k, b in net.named_buffers():
        put(f"{name}/after/{k}", b)


r = torch.randn
case("linear", nn.Linear(3, 4), r(2, 5, 3))
case("linear without bias", nn.Linear(3, 4, bias=False), r(2, 3))
case("bilinear", nn.Bilinear(3, 2, 4), r(5, 3), r(5, 2))
case("conv1d", nn.Conv1d(2, 4, 3, stride=2, padding=1), r(2, 2, 9))
case("conv2d groups", nn.Conv2d(4, 6, (3, 2), padding=(1, 0), dilation=(1, 2), groups=2, bias=False), r(1, 4, 5, 6))
case("conv3d", nn.Conv3d(1, 2, 2), r(1, 1, 3, 3, 3))
case("conv2d same", nn.Conv2d(2, 2, 3, padding="same"), r(1, 2, 4, 4))
case("convtranspose2d", nn.ConvTranspose2d(2, 4, 3, stride=2, padding=1, output_padding=1, groups=2), r(1, 2, 3, 3))
case("batchnorm training", nn.BatchNorm2d(3), r(2, 3, 2, 2))
case("batchnorm cumulative", nn.BatchNorm1d(3, momentum=None), r(4, 3))
case("batchnorm eval", nn.BatchNorm1d(3, eps=1e-3), r(4, 3), eval=True)
case("batchnorm without running", nn.BatchNorm1d(3, track_running_stats=False, affine=False), r(4, 3), eval=True)
case("instancenorm", nn.InstanceNorm2d(2, affine=True), r(2, 2, 3, 3))
case("groupnorm", nn.GroupNorm(2, 4), r(2, 4, 3))
case("layernorm", nn.LayerNorm([2, 3]), r(4, 2, 3))
case("layernorm without bias", nn.LayerNorm(3, bias=False, eps=1e-3), r(4, 3))
case("rmsnorm", nn.RMSNorm(3), r(4, 3))
case("embedding", nn.Embedding(5, 3, padding_idx=1), torch.tensor([[0, 1], [4, 4]]))
case("embeddingbag", nn.EmbeddingBag(5, 3), torch.tensor([[0, 1], [4, 4]]))
case("embeddingbag offsets", nn.EmbeddingBag(5, 3, mode="sum"), torch.tensor([0, 1, 4, 4]), torch.tensor([0, 3]))
case("sequential", nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(1), nn.Dropout(0.5), nn.Linear(8, 3)), r(2, 1, 6, 6), eval=True)
case("pools", nn.Sequential(nn.AvgPool1d(3, stride=1, padding=1), nn.AdaptiveAvgPool1d(4), nn.AdaptiveMaxPool1d(2)), r(2, 2, 7))
case("activations", nn.Sequential(nn.GELU(), nn.SiLU(), nn.Tanh(), nn.LeakyReLU(0.1), nn.Sigmoid(), nn.Softmax(-1), nn.Identity()), r(2, 4))


def flat(net):
    """Calls a recurrent layer, and joins its result and its last state."""

    def call(x, *state):
        lengths, state = (state[0], state[1:]) if state and not state[0].is_floating_point() else (None, state)
        h = state[0] if len(state) == 1 else tuple(state) or None
        if lengths is not None:
            x = nn.utils.rnn.pack_padded_sequence(x, lengths, net.batch_first, enforce_sorted=False)
        y, last = net(x, h)
        if lengths is not None:
            y, _ = nn.utils.rnn.pad_packed_sequence(y, net.batch_first)
        return torch.cat([t.flatten() for t in (y, *(last if isinstance(last, tuple) else (last,)))])

    return call


def recurrent(name, net, *inputs, eval=False):
    case(name, net, *inputs, eval=eval, call=flat(net))


recurrent("rnn relu", nn.RNN(3, 4, nonlinearity="relu", bias=False), r(5, 2, 3))
recurrent("rnn", nn.RNN(3, 4), r(5, 2, 3), r(1, 2, 4))
recurrent("lstm", nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True, dropout=0.5), r(2, 5, 3), r(4, 2, 4), r(4, 2, 4), eval=True)
recurrent("lstm lengths", nn.LSTM(3, 2, bidirectional=True), r(4, 3, 3), torch.tensor([2, 4, 1]))
recurrent("gru", nn.GRU(3, 4, 2), r(5, 2, 3), r(2, 2, 4))
recurrent("gru lengths", nn.GRU(3, 2, batch_first=True), r(2, 3, 3), torch.tensor([2, 3]), r(1, 2, 2))
case("rnncell", nn.RNNCell(3, 4), r(2, 3), r(2, 4))
case("grucell", nn.GRUCell(3, 4, bias=False), r(2, 3), r(2, 4))
case("lstmcell", net := nn.LSTMCell(3, 4), r(2, 3), r(2, 4), r(2, 4), call=lambda x, h, c: torch.cat(net(x, (h, c))))
attention = nn.MultiheadAttention(4, 2, batch_first=True)
case("attention", attention, r(2, 3, 4), r(2, 5, 4), r(2, 5, 4), call=lambda q, k, v: attention(q, k, v)[0])
options = dict(dim_feedforward=6, batch_first=True)
case("encoder", nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, **options), 2), r(2, 3, 4), eval=True)
case("encoder norm first", nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 1, dropout=0, activation="gelu", norm_first=True, bias=False, **options), 1, nn.LayerNorm(4, bias=False)), r(2, 3, 4))
decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, dropout=0, **options), 2)
mask = nn.Transformer.generate_square_subsequent_mask(3)
case("decoder", decoder, r(2, 3, 4), r(2, 5, 4), call=lambda x, m: decoder(x, m, tgt_mask=mask))

names = {torch.float32: "F32", torch.int64: "I64"}
header, data = {}, b""
for name, t in tensors.items():
    b = t.numpy().tobytes()
    header[name] = {"dtype": names[t.dtype], "shape": list(t.shape), "data_offsets": [len(data), len(data) + len(b)]}
    data += b
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
pathlib.Path(__file__).with_name("torch.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
