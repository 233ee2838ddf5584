"""Settings of the web zone. Every value comes from `environment.KNOWN` or a safe default."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from blindjustice_web.config.csp import POLICY, static_headers
from blindjustice_web.config.environment import Environment, secret_key
from blindjustice_web.config.hosts import (
    host_as_sent,
    local_hosts,
    mail_host,
    own_origins,
    read_origin,
)
from blindjustice_web.config.limits import read_limits

ENVIRONMENT = Environment(os.environ)

BASE_DIR = Path(__file__).resolve().parent.parent.parent
STATE_DIR = Path(ENVIRONMENT.text("BLINDJUSTICE_STATE_DIR", str(BASE_DIR / ".state"))).absolute()
WEB_DIR = STATE_DIR / "web"
WEB_DIR.mkdir(parents=True, exist_ok=True)
PUBLIC_DIR = Path(ENVIRONMENT.text("BLINDJUSTICE_PUBLIC_DIR", str(STATE_DIR / "public")))

DEBUG = ENVIRONMENT.flag("BLINDJUSTICE_DEBUG")
DEMO = ENVIRONMENT.flag("BLINDJUSTICE_DEMO")
SECRET_KEY = secret_key(ENVIRONMENT, WEB_DIR)
ORIGIN = ENVIRONMENT.text("BLINDJUSTICE_ORIGIN", "http://127.0.0.1:8000").rstrip("/")
_origin = read_origin(ORIGIN)
_machine = socket.gethostname()
ALLOWED_HOSTS = ENVIRONMENT.words(
    "BLINDJUSTICE_ALLOWED_HOSTS", ",".join([host_as_sent(_origin), *local_hosts(_machine)])
)
CSRF_TRUSTED_ORIGINS = [ORIGIN]
IS_HTTPS = _origin.scheme == "https"
OWN_ORIGINS = own_origins(ORIGIN, _machine)
TRUSTED_PROXIES = ENVIRONMENT.networks("BLINDJUSTICE_TRUSTED_PROXIES")
if IS_HTTPS and not TRUSTED_PROXIES:
    raise ImproperlyConfigured(
        "BLINDJUSTICE_TRUSTED_PROXIES must name the proxy that speaks https for this site"
    )
CONTACT = ENVIRONMENT.text("BLINDJUSTICE_CONTACT", "the regulator named on the certificate")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "channels",
    "csp",
    "blindjustice_web.config",
    "blindjustice_web.accounts",
    "blindjustice_web.audit",
    "blindjustice_web.lab",
    "blindjustice_web.post",
    "blindjustice_web.studies",
    "blindjustice_web.enrolment",
    "blindjustice_web.jobs",
    "blindjustice_web.certificates",
    "blindjustice_web.challenges",
    "blindjustice_web.notices",
    "blindjustice_web.portals",
]

MIDDLEWARE = [
    "blindjustice_web.lib.forwarded.ForwardedMiddleware",
    "blindjustice_web.lib.middleware.ApiProblemsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "blindjustice_web.lib.middleware.ExtraHeadersMiddleware",
    "blindjustice_web.lib.middleware.SmallPagesMiddleware",
    "blindjustice_web.accounts.sessions.ReadingSessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "blindjustice_web.accounts.sessions.SessionLifeMiddleware",
    "blindjustice_web.audit.acting.ActorMiddleware",
    "blindjustice_web.lib.middleware.PrivatePagesMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "blindjustice_web.lib.middleware.ProblemPagesMiddleware",
    "blindjustice_web.engine.outdated.OutdatedTextsMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "blindjustice_web.config.urls"
ASGI_APPLICATION = "blindjustice_web.config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "blindjustice_web.portals.context.site",
            ],
        },
    },
]

# Database: SQLite in the state directory, or PostgreSQL by URL.
DATABASES: dict[str, Any] = {
    "default": dj_database_url.parse(
        ENVIRONMENT.secret(
            "BLINDJUSTICE_DATABASE_URL_FILE",
            "DATABASE_URL",
            f"sqlite:///{WEB_DIR / 'site.sqlite3'}",
        ),
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Redis: broker and channel layer, with the web zone's own ACL user in the URL.
REDIS_URL = ENVIRONMENT.secret(
    "BLINDJUSTICE_REDIS_URL_FILE", "REDIS_URL", f"unix://{STATE_DIR / 'redis' / 'redis.sock'}"
)
CHANNEL_LAYERS: dict[str, Any] = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        "CONFIG": {
            "hosts": [{"address": REDIS_URL, "socket_timeout": None}],
            "prefix": "bj.channels",
        },
    }
}

# Counts of the limits, shared by all processes of the site.
CACHES: dict[str, Any] = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "bj.cache",
        "OPTIONS": {
            "serializer": "blindjustice_web.lib.cache.JsonSerializer",
            "socket_connect_timeout": 2,
            "socket_timeout": 2,
        },
    }
}
LIMITS = read_limits(ENVIRONMENT.text)
TYPED_CHALLENGES_PER_PERSON = ENVIRONMENT.number("BLINDJUSTICE_TYPED_CHALLENGES", 5)
TYPED_CHALLENGES_DAYS = 30

# Accounts: by e-mail and password.
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_USER_DISPLAY = "blindjustice_web.accounts.models.display_name"
ACCOUNT_SESSION_REMEMBER = False
ACCOUNT_ADAPTER = "blindjustice_web.accounts.adapter.Accounts"
# What is counted by address, and failed log-ins, is counted in `accounts.login_limits`, by one step
# of Redis: allauth takes a lock on each count and refuses who waits for it longer than a second.
ACCOUNT_RATE_LIMITS = {
    "login_failed": None,
    "login": None,
    "signup": None,
    "reset_password": "5/m/key",
    "reset_password_from_key": None,
}
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/me/"
LOGOUT_REDIRECT_URL = "/"

# Mail: to a server where one is configured, else to files only the site's user can read.
MAIL_FROM = ENVIRONMENT.text("BLINDJUSTICE_MAIL_FROM", f"no-reply@{mail_host(_origin)}")
DEFAULT_FROM_EMAIL = MAIL_FROM
EMAIL_TIMEOUT = 20
_smtp = ENVIRONMENT.secret("BLINDJUSTICE_SMTP_URL_FILE")
if _smtp:
    _parts = urlsplit(_smtp)
    EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    EMAIL_HOST = _parts.hostname or "localhost"
    EMAIL_PORT = _parts.port or (465 if _parts.scheme == "smtps" else 587)
    EMAIL_HOST_USER = unquote(_parts.username or "")
    EMAIL_HOST_PASSWORD = unquote(_parts.password or "")
    EMAIL_USE_SSL = _parts.scheme == "smtps"
    EMAIL_USE_TLS = not EMAIL_USE_SSL
else:
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = WEB_DIR / "mail"

# Language and time.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
TIME_ZONE = "UTC"
USE_TZ = True

# Static files: hashed names, found by WhiteNoise and served before Django.
STATIC_URL = "/static/"
STATIC_ROOT = WEB_DIR / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
_static_storage = "whitenoise.storage.CompressedManifestStaticFilesStorage"
if DEBUG:
    _static_storage = "django.contrib.staticfiles.storage.StaticFilesStorage"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": _static_storage},
}
WHITENOISE_USE_FINDERS = DEBUG
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_ADD_HEADERS_FUNCTION = static_headers

# Headers and cookies. Behind https the names of the cookies tie them to this very host.
CONTENT_SECURITY_POLICY = POLICY
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = IS_HTTPS
SESSION_COOKIE_NAME = "__Host-sessionid" if IS_HTTPS else "sessionid"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = IS_HTTPS
CSRF_COOKIE_NAME = "__Host-csrftoken" if IS_HTTPS else "csrftoken"
SECURE_SSL_REDIRECT = IS_HTTPS
SECURE_REDIRECT_EXEMPT = [r"^health/$"]
if IS_HTTPS:
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# Whether a domain goes onto the browsers' preload lists is for its owner to decide, not for a site.
SILENCED_SYSTEM_CHECKS = ["security.W021"]

# Log-ins end when unused, and at the latest after a working day.
SESSION_IDLE_S = 60 * ENVIRONMENT.number("BLINDJUSTICE_SESSION_IDLE", 60)
SESSION_LONGEST_S = 3600 * ENVIRONMENT.number("BLINDJUSTICE_SESSION_LONGEST", 12)
SESSION_COOKIE_AGE = SESSION_LONGEST_S

# Sizes of requests, in bytes: what anyone may send, and what a member of an organisation may.
# `config.body_limit` counts while a body arrives; Django's own limit would come after that.
PUBLIC_BODY_BYTES = 1 << 20
MEMBER_BODY_BYTES = 64 << 20
DATA_UPLOAD_MAX_MEMORY_SIZE = MEMBER_BODY_BYTES
SOCKET_MESSAGE_BYTES = 1024

# Time limits.
JOB_TIME_LIMIT_S = {
    "closing": ENVIRONMENT.number("BLINDJUSTICE_JOB_CLOSING_S", 600),
    "certification": ENVIRONMENT.number("BLINDJUSTICE_JOB_CERTIFICATION_S", 900),
    "training": ENVIRONMENT.number("BLINDJUSTICE_JOB_TRAINING_S", 3600),
    "verification": ENVIRONMENT.number("BLINDJUSTICE_JOB_VERIFICATION_S", 300),
}
JOB_GRACE_S = 6
JOB_MAX_ATTEMPTS = ENVIRONMENT.number("BLINDJUSTICE_JOB_ATTEMPTS", 2)
WATCHDOG_PERIOD_S = 2.0
CHALLENGE_DEADLINE_H = 72
LINE_CHECK_S = ENVIRONMENT.number("BLINDJUSTICE_LINE_CHECK_S", 900)
CHALLENGE_RETRY_S = ENVIRONMENT.number("BLINDJUSTICE_JOB_CHALLENGE_RETRY_S", 900)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "INFO"},
    "loggers": {"fontTools": {"level": "WARNING"}},
}
