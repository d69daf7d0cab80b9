/** Removes a file's front matter, which only the coach needs. */
export function bodyOf(markdown: string): string {
  const text = markdown.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const end = text.startsWith("---\n") ? text.indexOf("\n---\n", 3) : -1;
  return (end === -1 ? text : text.slice(end + 5)).trim();
}
