/** Without percent-encoding, where it is whole. */
export function decodedLink(link: string): string {
  try {
    return decodeURIComponent(link);
  } catch {
    return link;
  }
}
