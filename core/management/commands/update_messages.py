"""`manage.py update_messages`: update every language's catalogue from the sources."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from core import translations as messages


class Command(BaseCommand):
    help = "Extract all messages, merge them into locale/, compile, and list untranslated ones."

    def handle(self, *args: Any, **options: Any) -> None:
        for locale, _name in settings.LANGUAGES:
            if locale == settings.LANGUAGE_CODE:
                continue
            for domain in messages.DOMAINS:
                catalog = messages.update(locale, domain)
                open_ones = [
                    each for each in catalog if each.id and not messages.is_translated(each)
                ]
                self.stdout.write(f"{locale} {domain}: {len(catalog)}, {len(open_ones)} to do")
                for each in open_ones:
                    self.stdout.write(f"  {each.id!r}")
