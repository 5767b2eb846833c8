"""Cached values are JSON, so that reading them runs no code."""

import os
import pickle
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import translation
from django.utils.translation import gettext_lazy
from unfold.dataclasses import SearchResult


class Harmful:
    def __reduce__(self):
        return os.putenv, ("RUMMY_CACHE_RAN", "1")


@pytest.fixture(autouse=True)
def _key():
    yield
    cache.delete("test")


@pytest.mark.parametrize("value", [1, True, None, "नमस्ते", [1.5, "x"], {"a": [1]}])
def test_cached_value_is_read_back_unchanged(value):
    cache.set("test", value)

    assert cache.get("test", "nothing") == value
    assert type(cache.get("test", "nothing")) is type(value)


def test_results_of_the_admins_search_come_back_in_the_language_they_were_found_in():
    found = SearchResult(title=gettext_lazy("Email"), description="Players", link="/x/", icon=None)

    with translation.override("hi"):
        cache.set("test", [found])
        title = str(found.title)

    assert title != "Email"
    assert cache.get("test") == [SearchResult(title, "Players", "/x/", None)]


def test_redis_still_counts():
    cache.set("test", 1)

    assert cache.incr("test") == 2
    assert cache.get("test") == 2


def test_values_that_json_cannot_store_are_refused():
    with pytest.raises(TypeError):
        cache.set("test", timedelta(1))


def test_a_pickle_in_the_cache_is_not_run():
    client = cache._cache.get_client("test", write=True)
    client.set(cache.make_and_validate_key("test"), pickle.dumps(Harmful()))

    with pytest.raises(ValueError, match=r"."):
        cache.get("test")
