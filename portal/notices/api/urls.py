"""Routes of the caller's notices below `/api/v1/`."""

from django.urls import path

from portal.notices.api import inbox, notices

urlpatterns = [
    path("inbox", inbox.InboxView.as_view()),
    path("me/notices", notices.NoticeChoiceView.as_view()),
    path("me/notices/channel", notices.NoticeChannelView.as_view()),
    path("me/notices/channel/test", notices.NoticeChannelTestView.as_view()),
]
