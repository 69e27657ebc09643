"""
Tunes MiniLM for tasks and capabilities; writes packages/builtins/data/minilm-tuning.safetensors.

    node bench/routing/tune/export-texts.ts && python3 bench/routing/tune/tune.py      (Debian: python3-torch)

The last three of its six layers get a low-rank addition each (up x down). A task of a train split learns to be nearer to a
trigger, or to the own text, of its capability than to those of the other capabilities in the batch. So that it stays good
at catalogs nobody labelled, a piece cut out of a capability's text there learns to find the rest of it, and their texts keep
about the place and the distances they have without tuning. No dev task is read.

At the end it notes the highest value of each channel between a layer's two wide matrices, so that they can be computed in a
byte each without loss. About 25 minutes on one core; the same seed gives the same file on the same machine.
"""
import json
import math
import random
import struct
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import cross_entropy, dropout, gelu, layer_norm, linear, normalize

HERE = Path(__file__).resolve().parent
OUT = HERE / "../../../packages/builtins/data/minilm-tuning.safetensors"
WIDTH, HEADS, LAYERS, FIRST_TUNED, RANK = 384, 12, 6, 3, 16
MATRICES = [
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
]
STEPS, BATCH, KEPT = 650, 64, 20
RATE, WARM_UP, DROPOUT, DECAY = 1e-3, 30, 0.1, 0.01
SHARPNESS = 20  # of the choice among the batch
OWN_TEXT = 0.4  # how often a task is shown the capability's own text instead of one of its triggers
KEEP = 0.8  # what staying in place is worth beside choosing right
SETS = {"metatool": 0.46, "clinc150": 0.24, "banking77": 0.3}
UNLABELLED = {"bfcl": 0.45, "sealtools": 0.4, "livemcp": 0.15}
CLOZE = 0.15  # how often a batch is one of pieces and rests
START, END = 101, 102


def read_safetensors(path):
    file = Path(path).read_bytes()
    (size,) = struct.unpack("<Q", file[:8])
    tensors = {}
    for name, entry in json.loads(file[8 : 8 + size]).items():
        if entry.get("dtype") != "F16":
            continue
        start, end = entry["data_offsets"]
        values = np.frombuffer(file[8 + size + start : 8 + size + end], np.float16).astype(np.float32)
        tensors[name.replace("bert.", "")] = torch.from_numpy(values.reshape(entry["shape"]))
    return tensors


def write_safetensors(path, tensors):
    header, parts, at = {}, [], 0
    for name, tensor in tensors.items():
        data = tensor.detach().numpy().astype(np.float16).tobytes()
        header[name] = {"dtype": "F16", "shape": list(tensor.shape), "data_offsets": [at, at + len(data)]}
        parts.append(data)
        at += len(data)
    head = json.dumps(header, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    path.write_bytes(struct.pack("<Q", len(head)) + head + b"".join(parts))


lessons = json.loads((HERE / "../.cache/tune.json").read_text())
published = read_safetensors(lessons["weights"])


def plain(x, name):
    return linear(x, published[f"{name}.weight"], published[f"{name}.bias"])


def norm(x, name):
    return layer_norm(x, (WIDTH,), published[f"{name}.weight"], published[f"{name}.bias"], 1e-12)


def embedded(rows):
    words = published["embeddings.word_embeddings.weight"][rows]
    places = published["embeddings.position_embeddings.weight"][: rows.shape[1]]
    segment = published["embeddings.token_type_embeddings.weight"][0]
    return norm(words + places + segment, "embeddings.LayerNorm")


def layers(x, mask, first, last, product):
    count, length, _ = x.shape
    hidden = (mask - 1)[:, None, None, :] * 1e4
    split = lambda y: y.view(count, length, HEADS, WIDTH // HEADS).transpose(1, 2)
    for layer in range(first, last):
        base = f"encoder.layer.{layer}."
        query, key, value = (split(product(x, f"{base}attention.self.{part}")) for part in ("query", "key", "value"))
        heed = torch.softmax(query @ key.transpose(2, 3) / math.sqrt(WIDTH // HEADS) + hidden, -1) @ value
        heed = product(heed.transpose(1, 2).reshape(count, length, WIDTH), f"{base}attention.output.dense")
        x = norm(x + heed, f"{base}attention.output.LayerNorm")
        wide = gelu(product(x, f"{base}intermediate.dense"))
        x = norm(x + product(wide, f"{base}output.dense"), f"{base}output.LayerNorm")
    return x


class Tuning(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.up = torch.nn.ParameterDict(), torch.nn.ParameterDict()
        for layer in range(FIRST_TUNED, LAYERS):
            for matrix in MATRICES:
                out, into = published[f"encoder.layer.{layer}.{matrix}.weight"].shape
                key = self.key(f"encoder.layer.{layer}.{matrix}")
                self.down[key] = torch.nn.Parameter(torch.randn(RANK, into) / math.sqrt(into))
                self.up[key] = torch.nn.Parameter(torch.zeros(out, RANK))

    @staticmethod
    def key(name):
        return name.replace(".", "-")  # a parameter's name may hold no dot

    def product(self, x, name):
        key = self.key(name)
        return plain(x, name) + linear(linear(dropout(x, DROPOUT, self.training), self.down[key]), self.up[key])

    def tensors(self):
        for key in self.down:
            name = key.replace("-", ".")
            yield f"{name}.weight.down", self.down[key]
            yield f"{name}.weight.up", self.up[key]


def padded(texts):
    """Texts of different length as one block, and where it holds something."""
    length = max(text.shape[0] for text in texts)
    block = torch.zeros(len(texts), length, *texts[0].shape[1:], dtype=texts[0].dtype)
    mask = torch.zeros(len(texts), length)
    for at, text in enumerate(texts):
        block[at, : text.shape[0]] = text
        mask[at, : text.shape[0]] = 1
    return block, mask


def below(all_rows):
    """What the layers that are not tuned make of each text: computed once."""
    out = [None] * len(all_rows)
    order = sorted(range(len(all_rows)), key=lambda at: len(all_rows[at]))
    with torch.no_grad():
        for start in range(0, len(order), 256):
            some = order[start : start + 256]
            rows, mask = padded([torch.tensor([START, *all_rows[at], END]) for at in some])
            x = layers(embedded(rows), mask, 0, FIRST_TUNED, plain).half()
            for at, values in zip(some, x):
                out[at] = values[: len(all_rows[at]) + 2].clone()
    return out


def vectors(texts, product):
    """In four blocks by length, so that little is padded."""
    order = sorted(range(len(texts)), key=lambda at: texts[at].shape[0])
    size = -(-len(order) // 4)
    parts = []
    for start in range(0, len(order), size):
        block, mask = padded([texts[at] for at in order[start : start + size]])
        x = layers(block.float(), mask, FIRST_TUNED, LAYERS, product) * mask[:, :, None]
        parts.append(normalize(x.sum(1) / mask.sum(1, keepdim=True), dim=1))
    back = torch.empty(len(order), dtype=torch.long)
    back[torch.tensor(order)] = torch.arange(len(order))
    return torch.cat(parts)[back]


class Catalog:
    def __init__(self, data):
        self.rows = data["own"]
        self.own = below(self.rows)
        flat = below([rows for some in data["triggers"] for rows in some])
        self.triggers = [[flat.pop(0) for _ in some] for some in data["triggers"]]
        tasks = [task for task in data["tasks"] if task.get("answer") is not None]
        self.tasks = list(zip(below([task["rows"] for task in tasks]), [task["answer"] for task in tasks]))

    def shown(self, answer, pick):
        triggers = self.triggers[answer]
        return self.own[answer] if not triggers or pick.random() < OWN_TEXT else pick.choice(triggers)

    def lesson(self, pick):
        """Tasks, a passage of the capability for each, and which capability that is."""
        batch = pick.sample(self.tasks, BATCH)
        answers = [answer for _, answer in batch]
        return [task for task, _ in batch], [self.shown(answer, pick) for answer in answers], answers

    def cloze(self, pick):
        """The same without labels: pieces of texts, and the rests or the wholes."""
        answers = pick.sample(range(len(self.rows)), BATCH)
        pieces, rests = zip(*(cut(self.rows[answer], pick) for answer in answers))
        texts = below([*pieces, *rests])
        return texts[:BATCH], texts[BATCH:], answers


def cut(rows, pick):
    size = max(3, int(len(rows) * pick.uniform(0.3, 0.6)))
    start = pick.randint(0, max(0, len(rows) - size))
    piece = [row for row in rows[start : start + size] if pick.random() > 0.1]
    rest = rows[:start] + rows[start + size :]
    return piece or rows, rows if len(rest) < 3 or pick.random() < 0.5 else rest


def choice(tasks, passages, answers):
    """Each task its own passage, and each passage its own task; another of the same capability is no mistake."""
    scores = SHARPNESS * tasks @ passages.T
    same = (answers[:, None] == answers[None, :]) & ~torch.eye(len(answers), dtype=torch.bool)
    scores = scores.masked_fill(same, -1e4)
    own = torch.arange(len(answers))
    return cross_entropy(scores, own) + 0.3 * cross_entropy(scores.T, own)


def peaks(tuning, texts):
    """The highest value of each channel that the second wide matrix of each layer reads, over some of the texts."""
    found = {}

    def watched(x, name):
        if ".attention." not in name and name.endswith(".output.dense"):
            highest = x.abs().amax((0, 1))
            found[name] = torch.maximum(found[name], highest) if name in found else highest
        return tuning.product(x, name) if Tuning.key(name) in tuning.down else plain(x, name)

    with torch.no_grad():
        for rows in texts[:: max(1, len(texts) // 500)]:
            x = embedded(torch.tensor([[START, *rows, END]]))
            layers(x, torch.ones(1, x.shape[1]), 0, LAYERS, watched)
    return {f"{name}.peaks": values for name, values in found.items()}


def drift(now, before):
    return 4 * (1 - (now * before).sum(1)).mean() + 10 * ((now @ now.T - before @ before.T) ** 2).mean()


def main():
    torch.manual_seed(0)
    pick = random.Random(0)
    catalogs = {data["name"]: Catalog(data) for data in lessons["sets"]}
    print("texts read", flush=True)
    others = [text for name, catalog in catalogs.items() if name not in SETS for text in catalog.own]
    tuning = Tuning()
    optimizer = torch.optim.AdamW(tuning.parameters(), lr=RATE, weight_decay=DECAY)
    started, chosen, moved = time.time(), 0.0, 0.0
    for step in range(1, STEPS + 1):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, step / WARM_UP) * (1 - (step - 1) / STEPS)
        named = UNLABELLED if pick.random() < CLOZE else SETS
        catalog = catalogs[pick.choices(list(named), named.values())[0]]
        tasks, passages, answers = catalog.cloze(pick) if named is UNLABELLED else catalog.lesson(pick)
        kept = pick.sample(others, KEPT // 2)
        kept += [pick.choice(catalogs[name].tasks)[0] for name in pick.choices(list(SETS), k=KEPT // 2)]
        found = vectors([*tasks, *passages, *kept], tuning.product)
        with torch.no_grad():
            before = vectors(kept, plain)
        right = choice(found[:BATCH], found[BATCH : 2 * BATCH], torch.tensor(answers))
        away = drift(found[2 * BATCH :], before)
        optimizer.zero_grad()
        (right + KEEP * away).backward()
        optimizer.step()
        chosen, moved = chosen + right.item(), moved + away.item()
        if step % 25 == 0:
            pace = (time.time() - started) / step
            print(f"{step} of {STEPS}, {pace:.1f} s each: choice {chosen / 25:.3f}, drift {moved / 25:.4f}", flush=True)
            chosen, moved = 0.0, 0.0
    tuning.eval()
    write_safetensors(OUT, {**dict(tuning.tensors()), **peaks(tuning, [rows for each in catalogs.values() for rows in each.rows])})
    print(f"{OUT.resolve()} written")


main()
