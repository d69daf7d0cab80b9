/** Returns a number for each of the names. */
export function numbersFor<N extends string>(
  names: readonly N[],
  numberOf: (name: N) => number,
): Record<N, number> {
  const numbers = {} as Record<N, number>;
  for (const name of names) numbers[name] = numberOf(name);
  return numbers;
}
