"""All Django settings, grouped; values that differ by place come from `portal.config.env`."""

import shlex
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from portal.common import logs
from portal.common.origins import HostPattern
from portal.common.site_config import ImageScanner, RegistryConfig, SiteConfig
from portal.config.env import Env
from portal.config.files.fence import read_fence_file
from portal.config.files.stores import read_store_file
from portal.config.openapi import openapi_settings

ENV = Env()


def _networks(written: str) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(part) for part in written.split(",") if part)


BASE_DIR = Path(__file__).resolve().parents[3]

# --- Identity of this installation -------------------------------------------------------------
SECRET_KEY = ENV.secret_key.get_secret_value()
DEBUG = ENV.debug
_portal = urlsplit(ENV.portal_url)
_https = _portal.scheme == "https"
ALLOWED_HOSTS = [str(_portal.hostname), "127.0.0.1", "localhost"]
CSRF_TRUSTED_ORIGINS = [ENV.portal_url]

# --- Applications ------------------------------------------------------------------------------
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.headless",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "channels",
    "portal.config.apps.CompositionConfig",
    "portal.common",
    "portal.audit",
    "portal.identity",
    "portal.tenancy",
    "portal.directory",
    "portal.site",
    "portal.notices",
    "portal.inventory",
    "portal.catalog",
    "portal.apps",
    "portal.secrets",
    "portal.templates",
    "portal.saved_views",
    "portal.quotas",
    "portal.reservations",
    "portal.volumes",
    "portal.datasets",
    "portal.submission_rules",
    "portal.workloads",
    "portal.endpoints",
    "portal.serving_usage",
    "portal.jobs",
    "portal.app_sessions",
    "portal.notebooks",
    "portal.serving",
    "portal.images",
    "portal.fleet",
    "portal.studies",
    "portal.approvals",
    "portal.quota_changes",
    "portal.reserving",
    "portal.telemetry",
    "portal.training_metrics",
    "portal.metering",
    "portal.alarms",
    "portal.overview",
    "portal.agentlink",
    "portal.slurm",
    "portal.kubernetes",
    "portal.gateway",
    "portal.inference",
    "portal.live",
    "portal.transfers",
    "portal.access",
    "scheduler.runtime",
    "portal.demo",
]
MIDDLEWARE = [
    "portal.common.middleware.ClientAddressMiddleware",
    "portal.common.middleware.RequestContextMiddleware",
    "portal.common.middleware.ResponseHeadersMiddleware",
    "portal.common.middleware.JsonCompressionMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "portal.audit.middleware.DenialAuditMiddleware",
]
APPEND_SLASH = False
ROOT_URLCONF = "portal.config.urls"
WSGI_APPLICATION = "portal.config.wsgi.application"
ASGI_APPLICATION = "portal.config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"


# --- Stores ------------------------------------------------------------------------------------
_SESSION = {
    "statement_timeout": 15000,
    "lock_timeout": 5000,
    # A frozen process must not keep rows locked.
    "idle_in_transaction_session_timeout": 60000,
    # A host without power must not keep the scheduler's lock.
    "tcp_keepalives_idle": 10,
    "tcp_keepalives_interval": 5,
    "tcp_keepalives_count": 3,
}
_KEEP_ALIVE = {
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
"""How long a connection to a vanished server is waited for; sockets of files ignore it."""


def _database(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "portal.common.postgresql",
        "NAME": parts.path.lstrip("/"),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", parts.hostname or ""),
        "PORT": query.pop("port", str(parts.port or "")),
        "CONN_MAX_AGE": 0,
        "OPTIONS": {
            "pool": {
                "min_size": 1,
                "max_size": ENV.web_threads_db_max,
                "timeout": 10,
                # Then the next caller connects at once; the default waits half of the outage again.
                "reconnect_timeout": 1,
            },
            "options": " ".join(f"-c {name}={value}" for name, value in _SESSION.items()),
            "server_side_binding": True,
            "connect_timeout": "5",
            **_KEEP_ALIVE,
            **query,
        },
    }


DATABASES = {"default": _database(ENV.database_url)}
FOLLOWS_DATABASE_CLOCK = True
"""All processes go by the clock of PostgreSQL, whatever their own hosts take for the time."""
CELERY_BROKER_URL = ENV.broker_url
CACHES = {
    # Holds the sign-in limits, which must outlive a Redis outage.
    "default": {
        "BACKEND": "portal.common.database_cache.UpsertCache",
        "LOCATION": "common_cache",
    }
}
SSH_HOST = ENV.ssh_host
SSH_HOST_KEY = ENV.ssh_host_key.resolve()
DATASETS_DIR = ENV.datasets_dir

# --- Sign-in -----------------------------------------------------------------------------------
AUTH_USER_MODEL = "identity.User"
AUTHENTICATION_BACKENDS = [
    "allauth.account.auth_backends.AuthenticationBackend",
    "portal.directory.ldap.sign_in.LdapBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("username", "display_name", "email")},
    },
    {"NAME": "portal.identity.password_words.ContextWordsValidator"},
]
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_DEFAULT_HTTP_PROTOCOL = _portal.scheme
# Providers are directories, and nothing of them is in tables of the library.
SOCIALACCOUNT_ADAPTER = "portal.directory.sign_in.DirectoryAdapter"
SOCIALACCOUNT_EMAIL_VERIFICATION = "none"
SOCIALACCOUNT_REQUESTS_TIMEOUT = 10
ACCOUNT_ADAPTER = "portal.identity.accounts.AccountAdapter"
# What strangers may do is counted in `portal.identity.sign_in_attempts`, where known browsers are distinguished.
ACCOUNT_RATE_LIMITS = {
    "login": "",
    "login_failed": "10/300s/key",
    "reset_password": "3/600s/key",
    "reset_password_from_key": "",
}
MFA_ADAPTER = "portal.identity.second_factors.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_RATE_LIMITS = {"webauthn_login": ""}
MFA_TOTP_ISSUER = f"Berth {_portal.hostname}"
USERSESSIONS_ADAPTER = "portal.identity.second_factors.SessionAdapter"
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
PASSWORD_RESET_TIMEOUT = 3600
HEADLESS_ONLY = True
HEADLESS_CLIENTS = ("browser",)
HEADLESS_FRONTEND_URLS: dict[str, str] = {}
SESSION_ENGINE = "django.contrib.sessions.backends.db"
SESSION_COOKIE_NAME = "__Host-berth-session" if _https else "berth-session"
SESSION_COOKIE_SECURE = _https
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 7 * 24 * 3600
CSRF_COOKIE_NAME = "__Host-berth-csrf" if _https else "berth-csrf"
CSRF_COOKIE_SECURE = _https
CSRF_FAILURE_VIEW = "portal.common.rest.problems.handle_csrf_failure"

# --- Mail --------------------------------------------------------------------------------------
_mail = urlsplit(ENV.email_url.get_secret_value())
_is_mail_plain = dict(parse_qsl(_mail.query)).get("plain") == "1"
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if _mail.hostname else 'dummy'}.EmailBackend"
EMAIL_HOST = _mail.hostname or ""
EMAIL_PORT = _mail.port or (465 if _mail.scheme == "smtps" else 587)
EMAIL_HOST_USER = unquote(_mail.username or "")
EMAIL_HOST_PASSWORD = unquote(_mail.password or "")
EMAIL_USE_SSL = _mail.scheme == "smtps"
EMAIL_USE_TLS = _mail.scheme == "smtp" and not _is_mail_plain
EMAIL_TIMEOUT = 15
DEFAULT_FROM_EMAIL = ENV.email_from or f"berth@{_portal.hostname}"

# --- REST --------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "portal.tenancy.api.authentication.BearerTokenAuthentication",
        "portal.tenancy.api.authentication.PortalSessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["portal.tenancy.api.permissions.ActionIsAllowed"],
    "DEFAULT_RENDERER_CLASSES": ["portal.common.rest.rendering.OrjsonRenderer"],
    "DEFAULT_PARSER_CLASSES": ["portal.common.rest.parsing.StrictJSONParser"],
    "DEFAULT_PAGINATION_CLASS": "portal.common.rest.pagination.IdCursorPagination",
    "DEFAULT_SCHEMA_CLASS": "portal.common.rest.schema.BerthSchema",
    "DEFAULT_THROTTLE_CLASSES": ["portal.common.rest.throttling.RequestThrottle"],
    "EXCEPTION_HANDLER": "portal.common.rest.problems.handle_exception",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = openapi_settings(SESSION_COOKIE_NAME)
DATA_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024

# --- Logs --------------------------------------------------------------------------------------
LOGGING = logs.configure_logging(as_json=not DEBUG, level=ENV.log_level)

# --- Processes ---------------------------------------------------------------------------------
SWEEP_S = ENV.sweep_s
BEAT_FILE = ENV.beat_file
WEB_UPSTREAM = ENV.web_upstream
LIVE_URL = ENV.live_url or ENV.portal_url
HSTS_S = ENV.hsts_s
CONNECTIONS_PER_ADDRESS_MAX = ENV.connections_per_address_max

# --- For the rest of the portal, which reads no settings ---------------------------------------
REGISTRY = RegistryConfig(
    host=ENV.registry,
    url=ENV.registry_url or f"https://{ENV.registry}",
    username=ENV.registry_username,
    password=ENV.registry_password.get_secret_value(),
)
SCANNER = ImageScanner(
    argv=tuple(shlex.split(ENV.image_scanner)),
    timeout_s=ENV.image_scan_s,
    days=ENV.image_scan_days,
)
SITE = SiteConfig(
    secret_key=SECRET_KEY,
    encryption_keys=ENV.all_encryption_keys,
    portal_url=ENV.portal_url,
    apps_url=ENV.apps_url,
    inference_url=ENV.inference_url,
    apps_hosts=HostPattern.parse(ENV.apps_hosts) if ENV.apps_hosts else None,
    ssh_port=ENV.ssh_port,
    sends_mail=bool(_mail.hostname),
    password_reset_s=PASSWORD_RESET_TIMEOUT,
    trusted_proxies=_networks(ENV.trusted_proxies),
    webhook_networks=_networks(ENV.webhook_networks),
    personal_channels=ENV.personal_channels,
    personal_webhook_networks=_networks(ENV.personal_webhook_networks),
    metrics_token=ENV.metrics_token.get_secret_value(),
    request_body_max=DATA_UPLOAD_MAX_MEMORY_SIZE,
    redis_url=ENV.redis_url,
    storage_dir=ENV.storage_dir.resolve(),
    snapshots_dir=ENV.snapshots_dir,
    datasets_dir=DATASETS_DIR,
    disk_mib_max=ENV.disk_mib_max,
    home_mib=ENV.home_mib,
    group_volume_mib_max=ENV.group_volume_mib_max,
    group_datasets_mib_max=ENV.group_datasets_mib_max,
    time_zone=ENV.time_zone,
    workspaces_kept_days=ENV.workspaces_kept_days,
    outputs_kept_days=ENV.outputs_kept_days,
    heartbeat_s=ENV.heartbeat_s,
    lease_ttl_s=ENV.lease_ttl_s,
    lease_grace_s=ENV.lease_grace_s,
    node_key_life_s=ENV.node_key_life_s,
    run_times_learned_every_s=300,
    site_view_age_s=1.0,
    queue_view_age_s=5.0,
    fence_commands=read_fence_file(ENV.fence_file),
    object_stores=read_store_file(ENV.store_file),
    registry=REGISTRY if ENV.registry else None,
    image_scanner=SCANNER if ENV.image_scanner else None,
    saved_image_mib_max=ENV.saved_image_mib_max,
    saved_images_mib_max=ENV.saved_images_mib_max,
    is_demo=ENV.demo,
)

# --- Languages, time, files --------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "/static/"
FRONTEND_DIR = ENV.frontend_dir.resolve()
WHITENOISE_ROOT = FRONTEND_DIR if FRONTEND_DIR.is_dir() else None
WHITENOISE_USE_FINDERS = True
WHITENOISE_MAX_AGE = 0
# Vite names every asset after its content.
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/assets/"

# --- Browser safety ----------------------------------------------------------------------------
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
