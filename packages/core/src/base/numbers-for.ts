/** Returns a number for each of the names. */
export function numbersFor<N extends string>(
  names: readonly N[],
  numberOf: (name: N) => number,
): Record<N, number> {
  return Object.fromEntries(names.map((name) => [name, numberOf(name)])) as Record<N, number>;
}
