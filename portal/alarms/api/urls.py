"""URLs of alarms."""

from django.urls import path

from portal.alarms.api import channels, views

urlpatterns = [
    path("alarms", views.AlarmListView.as_view()),
    path("alarms/counts", views.AlarmCountView.as_view()),
    path("alarms/<uuid:alarm_id>/acknowledge", views.AlarmAcknowledgeView.as_view()),
    path("alarm-rules", views.AlarmRuleListView.as_view()),
    path("alarm-rules/trial", views.AlarmTrialView.as_view()),
    path("alarm-rules/<uuid:rule_id>", views.AlarmRuleView.as_view()),
    path("alarm-silences", views.AlarmSilenceListView.as_view()),
    path("alarm-silences/<uuid:silence_id>", views.AlarmSilenceView.as_view()),
    path("alarm-channels", channels.AlarmChannelListView.as_view()),
    path("alarm-channels/<uuid:channel_id>", channels.AlarmChannelView.as_view()),
    path("alarm-channels/<uuid:channel_id>/test", channels.AlarmChannelTestView.as_view()),
]
