/** The same request as a shell command, for pipelines. */
export function curlOf(portalUrl: string, path: string, body: object): string {
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  return [
    `curl --fail-with-body ${portalUrl}${path} \\`,
    '  -H "Authorization: Bearer $BERTH_TOKEN" \\',
    '  -H "Idempotency-Key: $PIPELINE_ID" \\',
    '  -H "Content-Type: application/json" \\',
    `  --data '${json}'`,
  ].join("\n");
}
