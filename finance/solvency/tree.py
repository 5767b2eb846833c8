"""A Merkle tree with sums over balances; docs/solvency.md describes it byte for byte.

A node is its hash and the sum of the balances below it. The hash of an inner node covers the hashes
and the sums of both children, so that no sum can be changed alone.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Final, NamedTuple

FORMAT: Final = "rummy balance 1"
HASH_BYTES: Final = 32
NONCE_BYTES: Final = 16
# A stored node: its hash, and its sum as an unsigned number.
NODE_BYTES: Final = HASH_BYTES + 8


class Node(NamedTuple):
    """A leaf or an inner node; the sum is in minor units."""

    hash: bytes
    sum: int

    def __str__(self) -> str:
        return f"{self.hash.hex()} {self.sum}"


class Leaf(NamedTuple):
    """The content of a leaf; `holder` is a player's id, or the game whose money it is."""

    day: date
    currency: str
    holder: str
    nonce: str
    balance_minor: int

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in (FORMAT, *self))

    def node(self) -> Node:
        """Return the leaf's node; raise `ValueError` for a negative balance."""
        if self.balance_minor < 0:
            raise ValueError(f"the balance of {self.holder} is negative")
        return Node(hashlib.sha256(str(self).encode()).digest(), self.balance_minor)


def nonce_of(secret: bytes, holder: str) -> str:
    """Return the salt of a holder's leaf in hex; it says nothing about those of others."""
    return hmac.digest(secret, holder.encode(), "sha256")[:NONCE_BYTES].hex()


def parent(left: Node, right: Node) -> Node:
    """Return the node above two others."""
    text = f"rummy sum 1\n{left}\n{right}\n"
    return Node(hashlib.sha256(text.encode()).digest(), left.sum + right.sum)


def padded(leaves: Iterable[Node]) -> list[Node]:
    """Return the leaves in the order of their hashes, with empty ones up to a power of two.

    The hash of an empty leaf is random, and looks like any other.
    """
    nodes = list(leaves)
    wanted = 1 << (len(nodes) - 1).bit_length() if nodes else 1
    nodes += [Node(os.urandom(HASH_BYTES), 0) for _ in range(wanted - len(nodes))]
    return sorted(nodes)


def level_above(nodes: Sequence[Node]) -> list[Node]:
    pairs = iter(nodes)
    return [parent(left, right) for left, right in zip(pairs, pairs, strict=True)]


def root_of(nodes: Sequence[Node]) -> Node:
    """Return the root of a power of two of nodes."""
    while len(nodes) > 1:
        nodes = level_above(nodes)
    return nodes[0]


def path_of(nodes: Sequence[Node], index: int) -> list[str]:
    """Return the side and the value of each sibling on the way to the root, the lowest first."""
    path = []
    while len(nodes) > 1:
        path.append(f"{'left' if index % 2 else 'right'} {nodes[index ^ 1]}")
        nodes, index = level_above(nodes), index // 2
    return path


def packed(nodes: Iterable[Node]) -> bytes:
    return b"".join(node.hash + node.sum.to_bytes(8) for node in nodes)


def unpacked(data: bytes) -> list[Node]:
    """Return the nodes stored by `packed`."""
    return [
        Node(data[at : at + HASH_BYTES], int.from_bytes(data[at + HASH_BYTES : at + NODE_BYTES]))
        for at in range(0, len(data), NODE_BYTES)
    ]


def proof_text(leaf: Leaf, path: Sequence[str], root: Node) -> str:
    """Return the proof that the leaf is in the tree, as the text that its holder downloads."""
    return f"{leaf}root {root}\n" + "".join(f"{step}\n" for step in path)
