/** `/src/features/jobs/locales/en.json` → namespace `jobs`. */
export function byNamespace(files: Record<string, object>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(files).map(([path, texts]) => [path.split("/").at(-3) ?? path, texts]),
  );
}
