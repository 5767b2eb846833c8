"""Rules profiles as rows: named, versioned and never edited."""

from __future__ import annotations

import hashlib

from django.db import IntegrityError, transaction

from rummy import AnyRules
from tables.exceptions import ProfileNameTaken
from tables.models.templates import RuleProfile


@transaction.atomic
def register_profile(rules: AnyRules) -> RuleProfile:
    """Store these rules, or return the row that already has this text."""
    text = rules.to_text()
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    try:
        profile, _ = RuleProfile.objects.get_or_create(
            sha256=sha256,
            defaults={"name": rules.name, "version": rules.version, "text": text},
        )
    except IntegrityError as error:
        raise ProfileNameTaken(
            f"{rules.name} v{rules.version} already has other rules; use a new version."
        ) from error
    return profile


@transaction.atomic
def register_version(rules: AnyRules) -> RuleProfile:
    """Store these rules as the next version of their name, or return the row that has them."""
    known = RuleProfile.objects.filter(name=rules.name).order_by("version")
    versions = list(known)
    for profile in versions:
        if rules.with_(version=profile.version).to_text() == profile.text:
            return profile
    latest = versions[-1].version if versions else rules.version - 1
    return register_profile(rules.with_(version=latest + 1))
