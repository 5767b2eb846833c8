"""Commands use the database of the demo that runs, wherever its data are."""

import pytest

from core.db.binaries import CannotStart
from devtools import datadir
from devtools.datadir import DataDir


@pytest.fixture
def demos(tmp_path, monkeypatch):
    """Return a function that starts nothing but registers and locks a demo's data directory."""
    monkeypatch.delenv("RUMMY_DATA_DIR", raising=False)
    monkeypatch.setattr(datadir, "standing_datadir", lambda: DataDir(tmp_path / "standing"))
    held = []

    def run(name):
        data = DataDir(tmp_path / name)
        data.root.mkdir()
        held.append(data.lock())
        datadir.register_demo(data)
        return data

    yield run
    for lock in held:
        lock.close()


def test_commands_join_a_demo_with_a_data_directory_of_its_own(demos, tmp_path):
    assert datadir.present_datadir().root == tmp_path / "standing"

    running = demos("elsewhere")

    assert datadir.present_datadir() == running


def test_one_of_several_demos_must_be_chosen(demos, monkeypatch):
    one, other = demos("one"), demos("other")

    with pytest.raises(CannotStart, match=rf"RUMMY_DATA_DIR to one of .*{one.root}"):
        datadir.present_datadir()
    monkeypatch.setenv("RUMMY_DATA_DIR", str(other.root))

    assert datadir.present_datadir() == other


def test_ended_demo_is_forgotten(demos, tmp_path):
    ended = DataDir(tmp_path / "ended")
    ended.root.mkdir()
    datadir.register_demo(ended)

    assert datadir.present_datadir().root == tmp_path / "standing"
    assert list((tmp_path / "standing" / "demos").iterdir()) == []
