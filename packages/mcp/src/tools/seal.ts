/** Encrypts a server's `requestState` while a question waits, and decrypts it for the retry. */
export interface Seal {
  close(text: string): Promise<string>;
  /** Returns `undefined` if the text was sealed with another key or for another call. */
  open(sealed: string): Promise<string | undefined>;
}

const IV_BYTES = 12;

/**
 * Makes a seal of a secret, for one call (`about`). AES-256-GCM: a sealed text that was changed, or moved to
 * another call, does not open.
 */
export function sealOf(secret: string, about: string): Seal {
  const encode = (text: string) => new TextEncoder().encode(text);
  const additionalData = encode(about);
  const key = async () => {
    const digest = await crypto.subtle.digest("SHA-256", encode(secret));
    return await crypto.subtle.importKey("raw", digest, "AES-GCM", false, ["encrypt", "decrypt"]);
  };
  return {
    close: async (text) => {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const box = await crypto.subtle.encrypt(
        { name: "AES-GCM", iv, additionalData },
        await key(),
        encode(text),
      );
      // One call for each byte: a server's state may have more bytes than a call can have arguments.
      return btoa(Array.from([...iv, ...new Uint8Array(box)], (byte) => String.fromCharCode(byte)).join(""));
    },
    open: async (sealed) => {
      try {
        const bytes = Uint8Array.from(atob(sealed), (char) => char.charCodeAt(0));
        const iv = bytes.slice(0, IV_BYTES);
        const box = bytes.slice(IV_BYTES);
        const text = await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData }, await key(), box);
        return new TextDecoder().decode(text);
      } catch {
        return undefined;
      }
    },
  };
}
