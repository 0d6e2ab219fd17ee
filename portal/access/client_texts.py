"""Sentences for SSH clients, in the language that they name."""

from collections.abc import Mapping

from portal.common.translations import translate


def text_for_client(environment: Mapping[str, str], code: str, params: Mapping[str, object]) -> str:
    """Return the sentence of a code in the language of the client's `LC_ALL` or `LANG`."""
    language = environment.get("LC_ALL") or environment.get("LANG") or ""
    return translate("zh-CN" if language.startswith("zh") else "en", code, params)
