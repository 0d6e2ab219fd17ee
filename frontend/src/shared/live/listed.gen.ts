// Generated from portal/common/notifications.py by `make reference`. Do not edit.

/** Kinds of objects whose lists are notified of each recorded change. */
export type Listed =
  | "audit"
  | "budget"
  | "dataset"
  | "directory"
  | "group"
  | "image"
  | "member_limit"
  | "pool"
  | "price"
  | "quota"
  | "saved_view"
  | "secret"
  | "site"
  | "ssh_key"
  | "study"
  | "template"
  | "token"
  | "usage"
  | "user"
  | "volume"
  | "web_app";
