"""The body of a refusal, as the description of the API shows it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class Refusal(serializers.Serializer[Any]):
    code = serializers.CharField()
    message = serializers.CharField()
