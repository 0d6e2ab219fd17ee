"""Where an endpoint of django-allauth promises more, or less, than Berth."""

from typing import Final

from allauth.account.internal.flows.reauthentication import raise_if_reauthentication_required
from allauth.headless.account.inputs import ChangePasswordInput, RequestPasswordResetInput
from allauth.headless.account.views import ChangePasswordView, RequestPasswordResetView
from allauth.headless.internal.restkit.response import ErrorResponse
from allauth.headless.mfa.views import ManageTOTPView, ManageWebAuthnView
from allauth.mfa.models import Authenticator
from django.http import HttpRequest, HttpResponse
from typing_extensions import override

from portal.common.errors import ExhaustedError
from portal.identity import password_reset

PASSKEYS_MAX: Final = 20
"""Passkeys of one person: sign-in reads each."""
_APP: Final = "allauth.mfa"


class AddressInput(RequestPasswordResetInput):
    """The address of an account, as administrators have written it down."""

    @override
    def clean_email(self) -> str:
        """Return it, with whose it is."""
        address: str = self.cleaned_data["email"]
        self.users = password_reset.find_people(address)
        return address


class PasswordRequestView(RequestPasswordResetView):
    """A mail for a forgotten password: the library's own table of addresses is not asked."""

    input_class = AddressInput


class PasswordChangeView(ChangePasswordView):
    """A change of the password; a wrong present one is an attempt."""

    @override
    def handle_invalid_input(self, refused: ChangePasswordInput) -> ErrorResponse:
        """Record the attempt, and answer."""
        if "current_password" in refused.errors:
            password_reset.record_wrong_password(self.request)
        return super().handle_invalid_input(refused)


class AppView(ManageTOTPView):
    """The authenticator app; its secret is shown to whoever has given the password just now."""

    @override
    def get(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        """Answer with the app, or with the secret to enrol one."""
        if self._get_authenticator() is None:
            raise_if_reauthentication_required(request, app=_APP)
        answer: HttpResponse = super().get(request, *args, **kwargs)
        return answer


class PasskeysView(ManageWebAuthnView):
    """Passkeys, as many as sign-in can read."""

    @override
    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        """Add one."""
        held = Authenticator.objects.filter(user=request.user, type=Authenticator.Type.WEBAUTHN)
        if held.count() >= PASSKEYS_MAX:
            raise ExhaustedError("too_many_passkeys", limit=PASSKEYS_MAX)
        answer: HttpResponse = super().post(request, *args, **kwargs)
        return answer
