"""Hook of `make wheel-compiled`: a wheel of `rummy` with a compiled solver, for this platform."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

from devtools.compile_rules import compile_rules


class CompiledWheel(BuildHookInterface[Any]):
    """Compile a copy of the package, and add the extension modules to the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder = Path(self.directory) / "compiled"
        shutil.copytree(self.root, folder / "rummy", dirs_exist_ok=True)
        for path in compile_rules(folder):
            build_data["force_include"][str(folder / path)] = str(path.relative_to("rummy"))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        shutil.rmtree(Path(self.directory) / "compiled")
