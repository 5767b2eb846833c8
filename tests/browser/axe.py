"""axe-core on a page: serious and critical violations, in the light or the dark theme."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()
# All rules of axe in one theme, and those that depend on colours in the other.
LIGHT = {"resultTypes": ["violations"]}
DARK = LIGHT | {"runOnly": ["color-contrast"]}
JUDGE = """async (options) => {
  const { violations } = await axe.run(document, options);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).slice(0, 5)}`);
}"""


def complaints(page: Page, *, in_light: bool = True, in_dark: bool = True) -> list[str]:
    """Check the present page in one theme or in both."""
    page.wait_for_load_state()
    page.evaluate(AXE)
    found: list[str] = page.evaluate(JUDGE, LIGHT) if in_light else []
    if in_dark:
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        found += [f"dark: {line}" for line in page.evaluate(JUDGE, DARK)]
        page.evaluate("document.documentElement.dataset.theme = 'light'")
    return found
