"""What all interfaces of the wallet answer when they refuse."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class Refusal(serializers.Serializer[Any]):
    code = serializers.CharField()
    message = serializers.CharField()
