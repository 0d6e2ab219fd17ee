"""Every URL of the web process."""

from collections.abc import Mapping
from typing import Final

from django.urls import URLPattern, URLResolver, include, path, re_path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from portal.app_sessions.api.plans import plan_app
from portal.common.work_kinds import APP, JOB, NOTEBOOK, REPLICA
from portal.config.pages import single_page
from portal.fleet.api.platform import LiveView, ReadyView
from portal.jobs.api.plans import plan_job
from portal.notebooks.api.plans import plan_notebook
from portal.serving.api.plans import plan_service
from portal.telemetry.api.metrics import metrics
from portal.workloads.api.views import DryRunView, Plan

API = "api/v1/"
PLANS: Final[Mapping[str, Plan]] = {
    JOB.kind: plan_job,
    NOTEBOOK.kind: plan_notebook,
    APP.kind: plan_app,
    REPLICA.kind: plan_service,
}
"""What reads the submissions of each kind of work."""

urlpatterns: list[URLPattern | URLResolver] = [
    path("livez", LiveView.as_view()),
    path("readyz", ReadyView.as_view()),
    path("metrics", metrics),
    path("_allauth/browser/v1/", include("portal.identity.account_api.endpoints")),
    path(API, include("portal.tenancy.api.urls")),
    path(API, include("portal.directory.api.urls")),
    path(API, include("portal.site.api.urls")),
    path(API, include("portal.notices.api.urls")),
    path(API, include("portal.catalog.api.urls")),
    path(API, include("portal.apps.api.urls")),
    path(API, include("portal.secrets.api.urls")),
    path(API, include("portal.saved_views.api.urls")),
    path(API, include("portal.volumes.api.urls")),
    path(API, include("portal.datasets.api.urls")),
    path(API, include("portal.fleet.api.urls")),
    path(API, include("portal.studies.api.urls")),
    path(API, include("portal.approvals.api.urls")),
    path(API, include("portal.quotas.api.urls")),
    path(API, include("portal.quota_changes.api.urls")),
    path(API, include("portal.reserving.api.urls")),
    path(f"{API}workloads/dry-run", DryRunView.as_view(plans=PLANS)),
    path(API, include("portal.workloads.api.urls")),
    path(API, include("portal.jobs.api.urls")),
    path(API, include("portal.endpoints.api.urls")),
    path(API, include("portal.notebooks.api.urls")),
    path(API, include("portal.app_sessions.api.urls")),
    path(API, include("portal.serving.api.urls")),
    path(API, include("portal.images.api.urls")),
    path(API, include("portal.telemetry.api.urls")),
    path(API, include("portal.training_metrics.api.urls")),
    path(API, include("portal.metering.api.urls")),
    path(API, include("portal.alarms.api.urls")),
    path(API, include("portal.overview.api.urls")),
    path(API, include("portal.demo.api.urls")),
    path("sign-in/oidc/", include("portal.directory.api.sign_in_urls")),
    path("scim/v2/", include("portal.directory.api.scim_urls")),
    path("node/v1/", include("portal.agentlink.api.urls")),
    path("api/schema", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="docs"),
    # Everything else is an address inside the single-page application.
    re_path(r"^(?!api/|node/|scim/|_allauth/|static/|assets/|ws$)", single_page),
]

handler400 = "portal.common.rest.problems.handle_refusal"
handler403 = "portal.common.rest.problems.handle_refusal"
handler404 = "portal.common.rest.problems.handle_refusal"
handler500 = "portal.common.rest.problems.handle_server_error"
