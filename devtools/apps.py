from django.apps import AppConfig


class EmbeddedConfig(AppConfig):
    name = "devtools"
