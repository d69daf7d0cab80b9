/** Returns the SHA-256 of a text or of bytes in hexadecimal. */
// Prefers Node's synchronous hash. Web Crypto hands the work to a thread, which takes longer than the hash of
// a short text.
export async function sha256(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = sha256AtOnce(content);
  if (hash !== undefined) return hash;
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The module `node:crypto`, or an empty object where it does not exist. Loaded by the first call, because not
 * every module that imports this one needs a hash.
 */
let nodeCrypto: Partial<Pick<typeof import("node:crypto"), "hash">> | undefined;

/** Returns the SHA-256 synchronously; `undefined` where the platform has no synchronous hash. */
export function sha256AtOnce(content: string | Uint8Array<ArrayBuffer>): string | undefined {
  nodeCrypto ??= globalThis.process?.getBuiltinModule?.("node:crypto") ?? {};
  return nodeCrypto.hash?.("sha256", content);
}
