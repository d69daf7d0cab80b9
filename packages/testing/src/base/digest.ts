/** The seeds of the two halves of a digest. */
const SEEDS = [0, 0x9e3779b9];

/**
 * Returns 106 bits that depend on every character of a text, in hexadecimal. Equal texts have equal digests,
 * in every process. Not for secrets: it is easy to find another text with the same digest.
 */
// The simulator only compares prompts with each other. Node's hashes are missing in Workers, and those of
// Web Crypto are asynchronous.
export function digest(text: string): string {
  return SEEDS.map((seed) => half(text, seed).toString(16).padStart(14, "0")).join("");
}

/** The public-domain hash cyrb53: 53 bits. */
function half(text: string, seed: number): number {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return 0x100000000 * (0x1fffff & low) + (high >>> 0);
}
