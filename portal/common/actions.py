"""The closed list of actions, which views require, policies decide and token scopes name."""

from enum import StrEnum


class Action(StrEnum):
    """`object.verb`; never renamed, because tokens store these words."""

    ME_VIEW = "me.view"
    GROUP_VIEW = "group.view"
    GROUP_MANAGE = "group.manage"
    POOL_VIEW = "pool.view"
    POOL_MANAGE = "pool.manage"
    NODE_VIEW = "node.view"
    NODE_MANAGE = "node.manage"
    IMAGE_VIEW = "image.view"
    IMAGE_MANAGE = "image.manage"
    DATASET_VIEW = "dataset.view"
    DATASET_MANAGE = "dataset.manage"
    QUOTA_VIEW = "quota.view"
    QUOTA_EDIT = "quota.edit"
    RESERVATION_VIEW = "reservation.view"
    RESERVATION_EDIT = "reservation.edit"
    MEMBER_LIMIT_EDIT = "member_limit.edit"
    REQUEST_VIEW = "request.view"
    REQUEST_MAKE = "request.make"
    REQUEST_DECIDE = "request.decide"
    WORKLOAD_VIEW = "workload.view"
    WORKLOAD_SUBMIT = "workload.submit"
    WORKLOAD_STOP = "workload.stop"
    WORKLOAD_OPEN = "workload.open"
    TOKEN_MANAGE = "token.manage"  # noqa: S105 - the name of an action
    ROBOT_MANAGE = "robot.manage"
    AUDIT_VIEW = "audit.view"
    USER_MANAGE = "user.manage"
    MEMBER_MANAGE = "member.manage"
    SECRET_VIEW = "secret.view"  # noqa: S105 - the names of actions
    SECRET_MANAGE = "secret.manage"  # noqa: S105
    SITE_VIEW = "site.view"
    SITE_MANAGE = "site.manage"
