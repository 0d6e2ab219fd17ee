/** The variables and secrets that work gets: as a form holds them, and as the server takes them. Pure. */
import type { Secret, SecretUse } from "@/shared/api/types";

export const SECRETS_MAX = 16;
/** What the server takes as the name of a variable. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const FILE = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/** One row of the form; `secret` is `scope:name`. */
export interface SecretRow {
  secret?: string;
  as?: SecretUse["as"];
  target?: string;
}

/** The secrets that work of this group may name, the user's own first. */
export function choicesOf(secrets: readonly Secret[], groupId: string | undefined) {
  return secrets
    .filter(({ group }) => group === null || group.id === groupId)
    .map(({ name, group }) => ({ value: `${group ? "group" : "user"}:${name}`, name, group }));
}

export function secretsOf(rows: readonly (SecretRow | undefined)[]): SecretUse[] {
  return rows.flatMap((row) => {
    if (!row?.secret || !row.target) return [];
    const [scope, ...name] = row.secret.split(":");
    return [
      {
        name: name.join(":"),
        scope: scope === "group" ? "group" : "user",
        as: row.as ?? "env",
        target: row.target.trim(),
      } as const,
    ];
  });
}

/** Without a scope it is the user's own. */
export function secretRows(
  uses: readonly (Omit<SecretUse, "scope"> & Partial<Pick<SecretUse, "scope">>)[],
): SecretRow[] {
  return uses.map(({ name, scope = "user", as, target }) => ({
    secret: `${scope}:${name}`,
    as,
    target,
  }));
}

export function isTarget(as: SecretUse["as"], target: string): boolean {
  return (as === "file" ? FILE : VARIABLE_NAME).test(target);
}

/** One row of the form. */
export interface Variable {
  name?: string;
  value?: string;
}

/** The variables as an object; rows without a name are left out. */
export function envOf(variables: readonly (Variable | undefined)[]): Record<string, string> {
  return Object.fromEntries(
    variables.flatMap((row) => (row?.name ? [[row.name, row.value ?? ""]] : [])),
  );
}

export function envRows(env: Readonly<Record<string, string>>): Variable[] {
  return Object.entries(env).map(([name, value]) => ({ name, value }));
}

/** Whether another row above this one has its name already. */
export function isRepeated(variables: readonly (Variable | undefined)[], index: number): boolean {
  const name = variables[index]?.name;
  return Boolean(name) && variables.slice(0, index).some((row) => row?.name === name);
}
