"""What the pages send to the account API, field by field; the library would make text of anything."""

from typing import Final

from rest_framework import serializers

from portal.common.rest.serializers import (
    AMOUNT_MAX,
    TITLE_MAX,
    InputSerializer,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
)
from portal.identity.account_api.credentials import NewPasskeyField, PasskeyProofField

PASSWORD_LENGTH_MAX: Final = 1024
"""Characters of a password."""
_NAME_LENGTH_MAX: Final = 150
_ADDRESS_LENGTH_MAX: Final = 254
_KEY_LENGTH_MAX: Final = 200
_CODE_LENGTH_MAX: Final = 64
_ROWS_MAX: Final = 100


class PasswordField(StrictCharField):
    """A password, to the last space."""

    def __init__(self) -> None:
        """Limit the length: it is hashed."""
        super().__init__(max_length=PASSWORD_LENGTH_MAX, trim_whitespace=False)


class RowsField(serializers.ListField):
    """Numbers of rows of one's own."""

    def __init__(self) -> None:
        """Limit how many are named at once."""
        super().__init__(
            child=StrictIntegerField(min_value=1, max_value=AMOUNT_MAX),
            min_length=1,
            max_length=_ROWS_MAX,
        )


class Nothing(InputSerializer):
    """No field at all."""


class Credentials(InputSerializer):
    """Name and password."""

    username = StrictCharField(max_length=_NAME_LENGTH_MAX)
    password = PasswordField()


class Password(InputSerializer):
    """The password once more."""

    password = PasswordField()


class PasswordChange(InputSerializer):
    """A new password; without the present one nobody sets it."""

    current_password = PasswordField()
    new_password = PasswordField()


class MailAddress(InputSerializer):
    """To which a mail is sent, if it is somebody's."""

    email = StrictCharField(max_length=_ADDRESS_LENGTH_MAX)


class PasswordReset(InputSerializer):
    """A new password by the key of a mail."""

    key = StrictCharField(max_length=_KEY_LENGTH_MAX)
    password = PasswordField()


class Code(InputSerializer):
    """What an app shows, or a recovery code."""

    code = StrictCharField(max_length=_CODE_LENGTH_MAX)


class PasskeyProof(InputSerializer):
    """A passkey that is at hand."""

    credential = PasskeyProofField()


class NewPasskey(InputSerializer):
    """A passkey to add."""

    name = StrictCharField(max_length=TITLE_MAX, required=False, allow_blank=True)
    credential = NewPasskeyField()
    passwordless = StrictBooleanField(required=False)


class Passkeys(InputSerializer):
    """Passkeys to remove."""

    authenticators = RowsField()


class Sessions(InputSerializer):
    """Sessions to end."""

    sessions = RowsField()
