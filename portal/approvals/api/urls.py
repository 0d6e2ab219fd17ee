"""Routes below `/api/v1/`."""

from django.urls import path

from portal.approvals.api import views

urlpatterns = [
    path("approvals", views.ApprovalListView.as_view()),
    path("approvals/counts", views.ApprovalCountView.as_view()),
    path("approvals/<uuid:request_id>", views.ApprovalDetailView.as_view()),
    path("approvals/<uuid:request_id>/approve", views.ApprovalApproveView.as_view()),
    path("approvals/<uuid:request_id>/decline", views.ApprovalDeclineView.as_view()),
    path("approvals/<uuid:request_id>/withdraw", views.ApprovalWithdrawView.as_view()),
]
