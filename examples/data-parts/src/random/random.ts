import { createHash } from "node:crypto";

/** A source of random numbers. Each call returns the next number from 0 to 1. */
export type Random = () => number;

/** Returns a generator that gives the same numbers for the same text (sfc32, seeded with a SHA-256). */
export function randomFrom(text: string): Random {
  const digest = createHash("sha256").update(text).digest();
  let [a, b, c, d] = [0, 4, 8, 12].map((at) => digest.readInt32LE(at)) as [number, number, number, number];
  return () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + t) | 0;
    return (t >>> 0) / 2 ** 32;
  };
}

/** Returns an id that is the same for the same text: 16 hexadecimal digits. */
export function idFrom(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** A whole number from 0 to `below` - 1. */
export function whole(random: Random, below: number): number {
  return Math.floor(random() * below);
}

/** One of a list. */
export function pick<T>(random: Random, list: readonly T[]): T {
  return list[whole(random, list.length)] as T;
}

/** Some of a list, in random order and without repetition. */
export function sample<T>(random: Random, list: readonly T[], count: number): T[] {
  const left = [...list];
  const taken: T[] = [];
  while (taken.length < count && left.length > 0) {
    const at = whole(random, left.length);
    taken.push(left[at] as T);
    left[at] = left.at(-1) as T;
    left.pop();
  }
  return taken;
}

/** A number from a normal distribution. */
export function normal(random: Random, mean: number, sd: number): number {
  // 1 - x, because the logarithm of 0 is infinite.
  const size = Math.sqrt(-2 * Math.log(1 - random()));
  return mean + sd * size * Math.cos(2 * Math.PI * random());
}

/** A whole number from a Poisson distribution. For small means, such as the goals of one match. */
export function poisson(random: Random, mean: number): number {
  const limit = Math.exp(-mean);
  let count = 0;
  for (let left = random(); left > limit; left *= random()) count += 1;
  return count;
}

/** Whether something with this chance, from 0 to 1, happens. */
export function chance(random: Random, of: number): boolean {
  return random() < of;
}

/** Picks the index of a weight, with a chance in proportion to it. */
export function weighted(random: Random, weights: readonly number[]): number {
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  const found = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return found === -1 ? weights.length - 1 : found;
}
