/**
 * Returns a random id: a UUID, or 32 hexadecimal digits on a page that is not served over https, where
 * `crypto.randomUUID` is missing.
 */
export function randomId(): string {
  if ("randomUUID" in crypto) return crypto.randomUUID();
  const bytes = (crypto as typeof globalThis.crypto).getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
