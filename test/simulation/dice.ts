/** A source of random numbers that a seed determines. */
export interface Dice {
  /** Returns a number from 0 up to, but not including, 1. */
  next(): number;
  /** Returns whether something with this probability happens. */
  chance(probability: number): boolean;
  /** Returns a number between two others. */
  between(least: number, most: number): number;
  /** Returns a whole number between two others, both included. */
  whole(least: number, most: number): number;
  /** Returns one element of a list. */
  pick<T>(list: readonly T[]): T;
}

/** Makes dice of their own for each part of a seed, so that one more throw in a part changes no other part. */
export function diceFor(seed: number, part: string): Dice {
  let state = hashOf(`${seed}/${part}`);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number) => least + next() * (most - least);
  const whole = (least: number, most: number) => Math.floor(between(least, most + 1));
  return {
    next,
    chance: (probability) => next() < probability,
    between,
    whole,
    pick: <T>(list: readonly T[]) => list[whole(0, list.length - 1)] as T,
  };
}

/** Returns a 32-bit number for a text. */
export function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
