"""Where an endpoint of django-allauth promises more, or less, than Berth."""

from typing import Any, Final

from allauth.account.internal.flows.reauthentication import raise_if_reauthentication_required
from allauth.headless.account import inputs
from allauth.headless.account import views as account
from allauth.headless.internal.restkit.response import ErrorResponse
from allauth.headless.mfa import views as mfa
from allauth.mfa.models import Authenticator
from django.http import HttpRequest, HttpResponse
from typing_extensions import override

from portal.common.errors import ExhaustedError
from portal.identity import password_reset, second_factors

PASSKEYS_MAX: Final = 20
"""Passkeys of one person: sign-in reads each."""
_APP: Final = "allauth.mfa"
_PASSWORDS: Final = frozenset({"password", "current_password", "new_password"})


class ExactPasswords:
    """Takes passwords to the last space; forms of Django would cut it off."""

    fields: dict[str, Any]

    def __init__(self, *args: Any, **options: Any) -> None:
        """Build the form and leave its passwords alone."""
        super().__init__(*args, **options)
        for name in self.fields.keys() & _PASSWORDS:
            self.fields[name].strip = False


class LoginInput(ExactPasswords, inputs.LoginInput):
    """Name and password."""


class LoginView(account.LoginView):
    """Sign-in with a password."""

    input_class = LoginInput


class ReauthenticateInput(ExactPasswords, inputs.ReauthenticateInput):
    """The password once more."""


class ReauthenticateView(account.ReauthenticateView):
    """The password once more, of somebody who is signed in."""

    input_class = ReauthenticateInput


class AddressInput(inputs.RequestPasswordResetInput):
    """The address of an account, as administrators have written it down."""

    @override
    def clean_email(self) -> str:
        """Return it, with whose it is."""
        address: str = self.cleaned_data["email"]
        self.users = password_reset.find_people(address)
        return address


class PasswordRequestView(account.RequestPasswordResetView):
    """A mail for a forgotten password: the library's own table of addresses is not asked."""

    input_class = AddressInput


class ResetInput(ExactPasswords, inputs.ResetPasswordInput):
    """A new password by the key of a mail."""


class PasswordResetView(account.ResetPasswordView):
    """A new password by the key of a mail."""

    input_class = ResetInput


class ChangeInput(ExactPasswords, inputs.ChangePasswordInput):
    """The present password and a new one."""


class PasswordChangeView(account.ChangePasswordView):
    """A change of the password; a wrong present one is an attempt."""

    input_class = ChangeInput

    @override
    def handle_invalid_input(self, refused: ChangeInput) -> ErrorResponse:
        """Record the attempt, and answer."""
        if "current_password" in refused.errors:
            password_reset.record_wrong_password(self.request)
        return super().handle_invalid_input(refused)


class PasskeyLoginView(mfa.LoginWebAuthnView):
    """Sign-in with a passkey; one that proves nothing is an attempt."""

    @override
    def handle_invalid_input(self, refused: object) -> ErrorResponse:
        """Record the attempt, and answer."""
        second_factors.record_wrong_passkey(self.request, None)
        return super().handle_invalid_input(refused)


class PasskeyStepView(mfa.AuthenticateWebAuthnView):
    """A passkey after the password; one that proves nothing is an attempt."""

    @override
    def handle_invalid_input(self, refused: object) -> ErrorResponse:
        """Record the attempt, and answer."""
        second_factors.record_wrong_passkey(self.request, self.stage.login.user)
        return super().handle_invalid_input(refused)


class AppView(mfa.ManageTOTPView):
    """The authenticator app; its secret is shown to whoever has given the password just now."""

    @override
    def get(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        """Answer with the app, or with the secret to enrol one."""
        if self._get_authenticator() is None:
            raise_if_reauthentication_required(request, app=_APP)
        answer: HttpResponse = super().get(request, *args, **kwargs)
        return answer


class PasskeysView(mfa.ManageWebAuthnView):
    """Passkeys, as many as sign-in can read."""

    @override
    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        """Add one."""
        held = Authenticator.objects.filter(user=request.user, type=Authenticator.Type.WEBAUTHN)
        if held.count() >= PASSKEYS_MAX:
            raise ExhaustedError("too_many_passkeys", limit=PASSKEYS_MAX)
        answer: HttpResponse = super().post(request, *args, **kwargs)
        return answer
