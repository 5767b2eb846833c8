"""Move the theme's inline scripts to files, because the pages' policy forbids inline scripts."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

from mkdocs.utils import get_relative_url

INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Return a built page without inline scripts."""
    return _without_inline(output, page.url, Path(config.site_dir))


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    """Return a page of the theme (404.html) without inline scripts."""
    return _without_inline(output_content, template_name, Path(config.site_dir))


def _without_inline(html: str, url: str, site: Path) -> str:
    """Write each inline script of a page to a file and return the page with links to them.

    A linked script without `async` or `defer` runs where the inline one did.
    """

    def linked(found: re.Match[str]) -> str:
        name = f"assets/inline/{hashlib.sha256(found[1].encode()).hexdigest()[:16]}.js"
        file = site / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(found[1], encoding="utf-8")
        return f'<script src="{get_relative_url(name, url)}"></script>'

    return INLINE.sub(linked, html)
