/**
 * Returns a text for a terminal: control characters (C0 and C1) become escapes, e.g. `\u001b`. Tabs and line
 * ends stay.
 */
export function printable(text: string): string {
  return text.replace(
    /(?![\t\n]|\r\n)\p{Cc}/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
