"""The program of main.go and model.go in PyTorch, to compare lines with. The model is written out, as it is
there, and not taken from transformers. The packages gguf and tokenizers read the file; PyTorch multiplies by weights of f32, which gguf dequantizes."""
import argparse, os, resource, sys, time

import gguf
import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from torch import nn
from torch.nn import functional as F


def rotate(x, at, base):
    """Rotary embeddings of neighbours for x[heads, n, features], the tokens from position at on."""
    positions = torch.arange(at, at + x.shape[1])[:, None]
    angles = positions * base ** (-torch.arange(0, x.shape[2], 2) / x.shape[2])
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()), -1).flatten(-2)


class Layer(nn.Module):
    def __init__(self, c, context):
        super().__init__()
        size, between = c["embedding_length"], c["feed_forward_length"]
        self.heads, self.groups = c["attention.head_count"], c["attention.head_count_kv"]
        self.base, head = c["rope.freq_base"], size // self.heads
        self.attn_norm = nn.RMSNorm(size, c["attention.layer_norm_rms_epsilon"])
        self.ffn_norm = nn.RMSNorm(size, c["attention.layer_norm_rms_epsilon"])
        self.attn_q = nn.Linear(size, size, bias=False)
        self.attn_k = nn.Linear(size, self.groups * head, bias=False)
        self.attn_v = nn.Linear(size, self.groups * head, bias=False)
        self.attn_output = nn.Linear(size, size, bias=False)
        self.ffn_gate = nn.Linear(size, between, bias=False)
        self.ffn_up = nn.Linear(size, between, bias=False)
        self.ffn_down = nn.Linear(between, size, bias=False)
        self.register_buffer("keys", torch.zeros(self.groups, context, head), persistent=False)
        self.register_buffer("values", torch.zeros(self.groups, context, head), persistent=False)

    def forward(self, x, at):
        end = at + len(x)
        h = self.attn_norm(x)
        q = rotate(self.attn_q(h).unflatten(1, (self.heads, -1)).transpose(0, 1), at, self.base)
        self.keys[:, at:end] = rotate(self.attn_k(h).unflatten(1, (self.groups, -1)).transpose(0, 1), at, self.base)
        self.values[:, at:end] = self.attn_v(h).unflatten(1, (self.groups, -1)).transpose(0, 1)
        seen = torch.arange(end) <= torch.arange(at, end)[:, None]
        y = F.scaled_dot_product_attention(q, self.keys[:, :end], self.values[:, :end], attn_mask=seen, enable_gqa=True)
        x = x + self.attn_output(y.transpose(0, 1).flatten(1))
        h = self.ffn_norm(x)
        return x + self.ffn_down(F.silu(self.ffn_gate(h)) * self.ffn_up(h))


class Llama(nn.Module):
    def __init__(self, c, context):
        super().__init__()
        self.token_embd = nn.Embedding(c["vocab_size"], c["embedding_length"])
        self.blk = nn.ModuleList(Layer(c, context) for _ in range(c["block_count"]))
        self.output_norm = nn.RMSNorm(c["embedding_length"], c["attention.layer_norm_rms_epsilon"])

    def forward(self, tokens, at):
        x = self.token_embd(tokens)
        for layer in self.blk:
            x = layer(x, at)
        return F.linear(self.output_norm(x[-1]), self.token_embd.weight)


class Generator:
    def __init__(self, o):
        self.o, self.spent, self.at = o, [], 0
        file = gguf.GGUFReader(o.model)
        metadata = {name: field.contents() for name, field in file.fields.items()}
        if metadata["general.architecture"] != "llama":
            sys.exit(f"smollm: {o.model}: it is a model of the architecture {metadata['general.architecture']}: only llama is implemented")
        config = {name.removeprefix("llama."): value for name, value in metadata.items() if name.startswith("llama.")}
        self.net = Llama(config, o.context).eval()
        weights = {t.name: torch.tensor(gguf.dequantize(t.data, t.tensor_type)) for t in file.tensors}
        self.net.load_state_dict(weights)
        self.bytes = sum(t.n_bytes for t in file.tensors)
        names = metadata["tokenizer.ggml.tokens"]
        merges = [tuple(m.split(" ")) for m in metadata["tokenizer.ggml.merges"]]
        self.tokens = Tokenizer(models.BPE({name: i for i, name in enumerate(names)}, merges))
        self.tokens.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(True), pre_tokenizers.ByteLevel(False)])
        self.tokens.decoder = decoders.ByteLevel()
        kinds = metadata["tokenizer.ggml.token_type"]
        self.tokens.add_special_tokens([AddedToken(n, special=True) for n, kind in zip(names, kinds) if kind == 3])
        self.end = metadata["tokenizer.ggml.eos_token_id"]

    @torch.inference_mode()
    def step(self, ids):
        begun = time.perf_counter()
        if self.at + len(ids) > self.o.context:
            sys.exit(f"smollm: the conversation has more tokens than -context, {self.o.context}: start with a larger one")
        logits = self.net(torch.tensor(ids), self.at)
        self.at += len(ids)
        if self.o.temperature > 0:
            next = torch.multinomial((logits / self.o.temperature).softmax(-1), 1).item()
        else:
            next = logits.argmax().item()
        self.spent.append(time.perf_counter() - begun)
        return next

    def say(self, text):
        next, stream, said = self.step(self.tokens.encode(text).ids), decoders.DecodeStream(skip_special_tokens=True), 0
        while next != self.end:
            print(stream.step(self.tokens, next) or "", end="", flush=True)
            said += 1
            if said == self.o.tokens:
                break
            next = self.step([next])
        median = sorted(self.spent)[len(self.spent) // 2]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        print(f"\n[{1 / median:.1f} tokens a second, weights read at {self.bytes / median / 1e9:.1f} GB/s, ", end="")
        print(f"peak memory {peak / 1e6:.0f} MB: {peak / os.path.getsize(self.o.model):.2f} of the file]")


parser = argparse.ArgumentParser()
parser.add_argument("-model", default="out/inputs/smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
parser.add_argument("-prompt")
parser.add_argument("-system", default="You are a helpful AI assistant named SmolLM, trained by Hugging Face")
parser.add_argument("-context", type=int, default=1024)
parser.add_argument("-tokens", type=int, default=256)
parser.add_argument("-temperature", type=float, default=0)
parser.add_argument("-seed", type=int, default=1)
parser.add_argument("-threads", type=int, default=0)
o = parser.parse_args()
torch.manual_seed(o.seed)
if o.threads:
    torch.set_num_threads(o.threads)
generator = Generator(o)
if o.prompt:
    generator.say(o.prompt)
else:
    text = f"<|im_start|>system\n{o.system}<|im_end|>\n"
    for line in map(str.strip, sys.stdin):
        if line:
            generator.say(f"{text}<|im_start|>user\n{line}<|im_end|>\n<|im_start|>assistant\n")
            text = "<|im_end|>\n"
