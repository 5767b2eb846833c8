"""Compile the slowest modules of `rummy` with mypyc: `python -m devtools.compile_rules [FOLDER]`.

FOLDER holds the package `rummy`; the default is the working folder. The extension modules are put
beside their sources, which stay the only ones to edit: Python imports an extension module instead
of the source, also after the source has changed. Compile therefore only a copy, as the image and
the wheel do (`make wheel-compiled`), or run the command with `--clean` to delete them.

It needs mypy, setuptools, a C compiler and the headers of Python; `rummy` itself needs none.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path
from typing import Final

HOT: Final = (
    *(
        f"solver/{name}"
        for name in ("rows", "suits", "sets", "unwinding", "search", "laying", "arrangement")
    ),
    "bots/completions",
)
"""The modules of `rummy` in which exact scores and the decisions of bots spend their time."""
SHARED: Final = "rummy.solver.compiled"
"""The library with the code of all of them, beside their extension modules."""
BUILD: Final = ["--quiet", "build_ext", "--inplace", "--build-temp", "build"]


def compile_rules(folder: Path) -> list[Path]:
    """Compile the modules of a folder's `rummy`; return the files made, relative to the folder."""
    from mypyc.build import mypycify
    from setuptools import setup

    clean(folder)
    with contextlib.chdir(folder):
        modules = [f"rummy/{name}.py" for name in HOT]
        extensions = mypycify(
            ["--config-file=", "--strict", *modules], opt_level="3", group_name=SHARED
        )
        setup(name="rummy-compiled", packages=[], ext_modules=extensions, script_args=BUILD)
    return compiled(folder)


def compiled(folder: Path) -> list[Path]:
    """Return the extension modules of a folder's `rummy`, relative to the folder."""
    return sorted(path.relative_to(folder) for path in folder.glob("rummy/*/*.so"))


def clean(folder: Path) -> None:
    """Delete the extension modules, so that the sources are imported again."""
    for path in compiled(folder):
        (folder / path).unlink()


def main() -> None:
    parser = argparse.ArgumentParser(prog="devtools.compile_rules", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path())
    parser.add_argument("--clean", action="store_true", help="delete the extension modules")
    options = parser.parse_args()
    if options.clean:
        clean(options.folder)
        return
    for path in compile_rules(options.folder.resolve()):
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
