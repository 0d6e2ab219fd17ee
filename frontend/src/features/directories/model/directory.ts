/** Directories as their forms hold them, and what a list says of them. Pure. */
import type { Directory, DirectoryRule, LdapSettings } from "@/shared/api/types";
import type { DirectoryBody } from "../api/directories";

/** By what people of a directory sign in; without one it only provisions them. */
export const SIGN_IN_WAYS = ["none", "oidc", "ldap"] as const;
export type SignInWay = (typeof SIGN_IN_WAYS)[number];

/** Names that the server takes. */
export const DIRECTORY_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

export interface DirectoryFields {
  name: string;
  title: string;
  links_existing: boolean;
  way: SignInWay;
  issuer: string;
  client_id: string;
  client_secret: string;
  subject_claim: string;
  groups_claim: string;
  ldap: LdapSettings;
  bind_password: string;
}

export function wayOf({ issuer, ldap }: Directory): SignInWay {
  if (ldap) return "ldap";
  return issuer ? "oidc" : "none";
}

export type LdapKind = "ad" | "openldap";

/** What is usual in Active Directory and in OpenLDAP. */
export const LDAP_USUAL: Record<LdapKind, Partial<LdapSettings>> = {
  ad: {
    people_filter: "(&(objectCategory=person)(objectClass=user))",
    groups_filter: "(objectClass=group)",
    id_attribute: "objectGUID",
    name_attribute: "sAMAccountName",
  },
  openldap: {
    people_filter: "(objectClass=inetOrgPerson)",
    groups_filter:
      "(|(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)(objectClass=posixGroup))",
    id_attribute: "entryUUID",
    name_attribute: "uid",
  },
};

const NEW_LDAP: Partial<LdapSettings> = {
  ...LDAP_USUAL.ad,
  is_plain: false,
  ca_certificate: "",
  bind_dn: "",
  groups_base: "",
  display_attribute: "displayName",
  email_attribute: "mail",
  group_name_attribute: "cn",
  every_min: 60,
};

/** What a form begins with. */
export function directoryForm(directory: Directory | undefined): Partial<DirectoryFields> {
  if (!directory) {
    const claims = { subject_claim: "sub", groups_claim: "groups" };
    return { links_existing: false, way: "oidc", ...claims, ldap: NEW_LDAP as LdapSettings };
  }
  const { title, links_existing, issuer, client_id, subject_claim, groups_claim } = directory;
  const signIn = { issuer, client_id, subject_claim, groups_claim };
  const ldap = (directory.ldap ?? NEW_LDAP) as LdapSettings;
  return { title, links_existing, way: wayOf(directory), ...signIn, ldap };
}

/** The request that a filled form stands for: a secret that was left empty stays as it is. */
export function directoryInput(fields: DirectoryFields): DirectoryBody {
  const { name, title, links_existing, way, client_secret, bind_password, ldap, ...oidc } = fields;
  const named = { name, title, links_existing };
  if (way === "oidc") {
    return { ...named, ...oidc, ldap: null, ...(client_secret && { client_secret }) };
  }
  if (way === "none") return { ...named, issuer: "", ldap: null };
  return { ...named, issuer: "", ldap, ...(bind_password && { bind_password }) };
}

export type DirectoryState = "idle" | "waiting" | "active" | "failing";

/** Whether anything reaches us from there. */
export function stateOf(directory: Directory): DirectoryState {
  const { has_token, issuer, ldap, sync_fault } = directory;
  if (!has_token && !issuer && !ldap) return "idle";
  if (sync_fault) return "failing";
  return lastContactOf(directory) ? "active" : "waiting";
}

/** When it last told us something, or somebody came in by it. */
export function lastContactOf(directory: Directory): string | null {
  const { scim_used_at, signed_in_at, synced_at } = directory;
  const moments = [scim_used_at, signed_in_at, synced_at].filter((at) => at !== null);
  return moments.toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(-1) ?? null;
}

/** Stands for the whole platform among the names of groups, which have no star. */
export const PLATFORM = "*";

/** A rule as one line of the form. */
export interface MappedRow {
  external_group: string;
  /** Name of one of our groups, or the platform. */
  target: string;
  role: string;
}

export function rowsOf(rules: Directory["rules"]): MappedRow[] {
  return rules.map(({ external_group, group, role, platform_role }) => ({
    external_group,
    target: group ?? PLATFORM,
    role: role ?? platform_role ?? "",
  }));
}

export function rulesOf(rows: readonly MappedRow[] = []): DirectoryRule[] {
  return rows.map((row) => {
    const external_group = row.external_group?.trim() ?? "";
    const { target, role } = row;
    const meant = target === PLATFORM ? { platform_role: role } : { group: target, role };
    return { external_group, ...meant } as DirectoryRule;
  });
}
