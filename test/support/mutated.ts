/** A JSON value of which one part was replaced. */
export interface Mutated {
  /** Where, and by what, e.g. `2.delta.text is null`. */
  title: string;
  value: unknown;
}

/** What a part is replaced by. `undefined` removes it. */
const INSTEAD: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["missing", undefined],
  ["null", null],
  ["a number", 7],
  ["a negative number", -1],
  ["a number as text", "0"],
  ["true", true],
  ["a text", "odd"],
  ["a huge text", "x".repeat(50_000)],
  ["a list", []],
  ["a list of null", [null]],
  ["an object", {}],
  ["an object with __proto__", JSON.parse('{"__proto__":{"type":"text"},"constructor":1}')],
  ["an object that is no text", { toString: null, valueOf: null }],
  ["a list of 3,000 levels", JSON.parse(`${"[".repeat(3_000)}${"]".repeat(3_000)}`)],
]);

/** Replaces each part of a JSON value, one at a time, by values of every kind. */
export function mutations(value: unknown): Mutated[] {
  return pathsIn(value).flatMap((path) =>
    Array.from(INSTEAD, ([name, instead]) => ({
      title: `${path.join(".")} is ${name}`,
      value: replaced(value, path, instead),
    })),
  );
}

function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  const below = Object.entries(typeof value === "string" ? {} : Object(value));
  return [
    ...(path.length === 0 ? [] : [path]),
    ...below.flatMap(([key, part]) => pathsIn(part, [...path, key])),
  ];
}

function replaced(value: unknown, [key, ...rest]: readonly string[], instead: unknown): unknown {
  if (key === undefined) return instead;
  const isOther = ([name]: [string, unknown]) => name !== key;
  const part = replaced(Object(value)[key], rest, instead);
  const entries = Object.entries(Object(value)).map(([name, old]): [string, unknown] => [
    name,
    name === key ? part : old,
  ]);
  const kept = part === undefined ? entries.filter(isOther) : entries;
  return Array.isArray(value) ? kept.map(([, one]) => one) : Object.fromEntries(kept);
}
