"""URLs of the caller's account, groups, members, robots and tokens."""

from django.urls import path

from portal.tenancy.api import audit_log, groups, people, ssh_keys, views

urlpatterns = [
    path("audit-events", audit_log.AuditEventListView.as_view()),
    path("audit-events.csv", audit_log.AuditEventFileView.as_view()),
    path("me", views.MeView.as_view()),
    path("me/clock", views.ClockView.as_view()),
    path("groups", groups.GroupListView.as_view()),
    path("groups/<uuid:group_id>", groups.GroupDetailView.as_view()),
    path("groups/<uuid:group_id>/members", views.GroupMemberListView.as_view()),
    path("groups/<uuid:group_id>/members/<uuid:user_id>", views.GroupMemberView.as_view()),
    path("users", people.UserListView.as_view()),
    path("users/<uuid:user_id>", people.UserDetailView.as_view()),
    path("users/<uuid:user_id>/password", people.UserPasswordView.as_view()),
    path("users/<uuid:user_id>/second-factors", people.UserSecondFactorsView.as_view()),
    path("robots", views.RobotListView.as_view()),
    path("robots/<uuid:robot_id>", views.RobotDetailView.as_view()),
    path("tokens", views.TokenListView.as_view()),
    path("tokens/<uuid:token_id>", views.TokenDetailView.as_view()),
    path("ssh-keys", ssh_keys.SshKeyListView.as_view()),
    path("ssh-keys/<uuid:key_id>", ssh_keys.SshKeyDetailView.as_view()),
]
