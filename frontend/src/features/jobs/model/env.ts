/** Environment variables: rows of a form, and the object that the server takes. Pure. */

export interface Variable {
  name?: string;
  value?: string;
}

/** What the server takes as a name. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** The variables as an object; rows without a name are left out. */
export function envOf(variables: readonly (Variable | undefined)[]): Record<string, string> {
  return Object.fromEntries(
    variables.flatMap((row) => (row?.name ? [[row.name, row.value ?? ""]] : [])),
  );
}

/** Whether another row above this one has its name already. */
export function isRepeated(variables: readonly (Variable | undefined)[], index: number): boolean {
  const name = variables[index]?.name;
  return Boolean(name) && variables.slice(0, index).some((row) => row?.name === name);
}
