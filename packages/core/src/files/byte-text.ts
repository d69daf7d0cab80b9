/** Returns a few bytes as text, one character for each byte. */
export function bytesAsText(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}

/** Returns whether an ASCII word is at this place. */
export function hasWordAt(bytes: Uint8Array, word: string, at: number): boolean {
  for (let index = 0; index < word.length; index += 1)
    if (bytes[at + index] !== word.charCodeAt(index)) return false;
  return true;
}
