"""Every address of the account API: what the pages use of django-allauth, and nothing else of it.

The library has more: other addresses of mail, phone numbers, sign-up, codes by mail. None of it exists here, so
that a borrowed session changes nothing without the password, and an update of the library adds nothing.
"""

from typing import Final

from allauth.headless.account import views as account
from allauth.headless.mfa import views as mfa
from allauth.headless.usersessions.views import SessionsView
from django.urls import path

from portal.identity.account_api import bodies, views
from portal.identity.account_api.gate import AccountEndpoint, guard

SIGN_INS_MAX: Final = 120
"""Sign-ins a minute of one address, or of one known browser; passkeys are counted apart."""
RESETS_MAX: Final = 20
"""Requests a minute to be sent a key by mail, and to use one, of one address or known browser."""
SECOND_FACTORS: Final = "account/authenticators"
ENDPOINTS: Final = (
    AccountEndpoint(
        "auth/session",
        "current_session",
        account.SessionView,
        {"GET": bodies.Nothing, "DELETE": bodies.Nothing},
    ),
    AccountEndpoint(
        "auth/login", "login", views.LoginView, {"POST": bodies.Credentials}, SIGN_INS_MAX
    ),
    AccountEndpoint(
        "auth/2fa/authenticate", "authenticate", mfa.AuthenticateView, {"POST": bodies.Code}
    ),
    AccountEndpoint(
        "auth/webauthn/authenticate",
        "authenticate_webauthn",
        views.PasskeyStepView,
        {"GET": bodies.Nothing, "POST": bodies.PasskeyProof},
    ),
    AccountEndpoint(
        "auth/webauthn/login",
        "login_webauthn",
        views.PasskeyLoginView,
        {"GET": bodies.Nothing, "POST": bodies.PasskeyProof},
        SIGN_INS_MAX,
    ),
    AccountEndpoint(
        "auth/password/request",
        "request_password_reset",
        views.PasswordRequestView,
        {"POST": bodies.MailAddress},
        RESETS_MAX,
    ),
    AccountEndpoint(
        "auth/password/reset",
        "reset_password",
        views.PasswordResetView,
        {"POST": bodies.PasswordReset},
        RESETS_MAX,
    ),
    AccountEndpoint(
        "auth/reauthenticate",
        "reauthenticate",
        views.ReauthenticateView,
        {"POST": bodies.Password},
    ),
    AccountEndpoint(
        "auth/sessions",
        "sessions",
        SessionsView,
        {"GET": bodies.Nothing, "DELETE": bodies.Sessions},
    ),
    AccountEndpoint(
        "account/password/change",
        "change_password",
        views.PasswordChangeView,
        {"POST": bodies.PasswordChange},
    ),
    AccountEndpoint(
        SECOND_FACTORS, "authenticators", mfa.AuthenticatorsView, {"GET": bodies.Nothing}
    ),
    AccountEndpoint(
        f"{SECOND_FACTORS}/totp",
        "manage_totp",
        views.AppView,
        {"GET": bodies.Nothing, "POST": bodies.Code, "DELETE": bodies.Nothing},
    ),
    AccountEndpoint(
        f"{SECOND_FACTORS}/recovery-codes",
        "manage_recovery_codes",
        mfa.ManageRecoveryCodesView,
        {"GET": bodies.Nothing, "POST": bodies.Nothing},
    ),
    AccountEndpoint(
        f"{SECOND_FACTORS}/webauthn",
        "manage_webauthn",
        views.PasskeysView,
        {"GET": bodies.Nothing, "POST": bodies.NewPasskey, "DELETE": bodies.Passkeys},
    ),
)
urlpatterns = [path(each.path, guard(each), name=each.name) for each in ENDPOINTS]
