"""A password is none of the words that anybody would try here first.

Of what characters a password is, is nobody's matter: one of digits alone is as good as its length.
"""

import re
from typing import Final
from urllib.parse import urlsplit

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError

from portal.common.site_config import get_site_config

OWN_WORDS: Final = ("berth", "泊位", "notebook", "gpu", "cluster", "password", "admin")
"""Of the product and its trade."""
_LETTERS_MIN: Final = 3
_LETTER: Final = re.compile(r"[^\W\d_]+")


class ContextWordsValidator:
    """Refuses passwords that are a word of the site, of its host's name or the product, and little more."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        """Raise if the password has such words, and hardly a letter besides."""
        del user  # its own name is looked at by Django
        said = left = password.lower()
        for word in sorted((*OWN_WORDS, *_words_of_host()), key=len, reverse=True):
            left = left.replace(word, " ")
        letters = "".join(_LETTER.findall(left))
        if left != said and len(letters) < _LETTERS_MIN:
            raise ValidationError("Such a password is tried first.", code="password_of_site")

    def get_help_text(self) -> str:
        """Return what the library asks every validator for."""
        return "More than words of this site, digits and signs."


def _words_of_host() -> list[str]:
    """Return the parts of the host's name that are long enough to be words."""
    host = urlsplit(get_site_config().portal_url).hostname or ""
    return [
        part for part in re.split(r"[.\-]", host) if part.isalpha() and len(part) >= _LETTERS_MIN
    ]
