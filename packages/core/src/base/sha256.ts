/**
 * SHA-256 of a text in hexadecimal. In Node without the thread that Web Crypto asks, which costs more than
 * the hash.
 */
export async function sha256(text: string): Promise<string> {
  node ??= globalThis.process?.getBuiltinModule?.("node:crypto") ?? {};
  if (node.hash !== undefined) return node.hash("sha256", text);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Looked up when the first text is hashed: not everybody who imports this does. */
let node: Partial<Pick<typeof import("node:crypto"), "hash">> | undefined;
