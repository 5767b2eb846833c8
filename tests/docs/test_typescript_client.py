"""Clients that public generators write from the API's description compile in TypeScript."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.api.description import JSON, description
from tests.builders.processes.generators import Generators, installed_generators

# What a program does first, by the names that the generator chose.
PROGRAM = """
import { AnswerEnum, Configuration, TablesApi } from "./index";
import type { TableView } from "./index";

export async function play(basePath: string, accessToken: string): Promise<TableView> {
  const tables = new TablesApi(new Configuration({ basePath, accessToken }));
  const { results } = await tables.tables();
  const view = await tables.takeSeat({ tableId: results[0].id, seatRequest: {} });
  const [move] = view.me?.legal ?? [];
  await tables.answerWindow({
    tableId: view.id, windowId: view.id, answerRequest: { answer: AnswerEnum.Yes },
  });
  return tables.makeMove({
    tableId: view.id,
    moveRequest: { moveId: view.id, move, expectedVersion: view.version },
  });
}
"""
# A choice that may be blank, as the description would have it by default.
BLANK = (b'"enum": ["yes", "no"]', b'"enum": ["yes", "no", ""]')

pytestmark = [
    pytest.mark.extended,
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("typescript"),
]


@pytest.fixture(scope="module")
def generators(pytestconfig: pytest.Config) -> Iterator[Generators]:
    assert pytestconfig.cache is not None
    with installed_generators(pytestconfig.cache.mkdir("generators")) as found:
        yield found


def described(folder: Path, change: tuple[bytes, bytes] | None = None) -> Path:
    body = description(JSON).body
    if change is not None:
        old, new = change
        assert old in body
        body = body.replace(old, new)
    path = folder / "api.json"
    path.write_bytes(body)
    return path


@pytest.mark.parametrize("kind", ["typescript-fetch", "typescript-axios"])
def test_the_client_of_openapi_generator_compiles(
    kind: str, generators: Generators, tmp_path: Path
) -> None:
    generators.client(described(tmp_path), kind=kind, name=kind)
    if kind == "typescript-fetch":
        (generators.folder / kind / "program.ts").write_text(PROGRAM)

    assert generators.complaints(kind) == []
    assert len([*(generators.folder / kind).rglob("*.ts")]) >= 5


def test_the_enumerations_of_openapi_typescript_compile(
    generators: Generators, tmp_path: Path
) -> None:
    generators.types(described(tmp_path), name="types")

    assert generators.complaints("types") == []
    written = (generators.folder / "types" / "types.ts").read_text()
    assert written.count("export enum ") > 10


def test_an_enumeration_with_a_blank_member_does_not_compile(
    generators: Generators, tmp_path: Path
) -> None:
    generators.types(described(tmp_path, BLANK), name="blank")

    assert any("Enum member expected" in line for line in generators.complaints("blank"))
