/** The type of each column that is inserted. */
export type ColumnTypes<Row> = Readonly<Record<keyof Row & string, string>>;

/**
 * Converts rows to one array for each column, as the text of an array: every driver sends it alike, and
 * Postgres reads it several times faster than JSON. `first` is the number of the first parameter. A column
 * that is itself an array travels as text and is cast by `select`.
 */
export function columnsOf<Row extends object>(types: ColumnTypes<Row>, rows: readonly Row[], first: number) {
  const columns = Object.entries<string>(types) as [keyof Row & string, string][];
  const sent = (type: string) => (type.endsWith("[]") ? "text" : type);
  return {
    names: columns.map(([name]) => name).join(", "),
    select: columns
      .map(([name, type]) => (type.endsWith("[]") ? `r.${name}::${type}` : `r.${name}`))
      .join(", "),
    arrays: columns.map(([, type], index) => `$${first + index}::text::${sent(type)}[]`).join(", "),
    values: columns.map(
      ([name]) => `{${rows.map((row) => elementOf(Object.hasOwn(row, name) ? row[name] : "")).join(",")}}`,
    ),
  };
}

/** Converts values to the text of an array, e.g. for `$1::text::text[]`. */
export const arrayText = (values: readonly (string | number)[]): string =>
  `{${values.map(elementOf).join(",")}}`;

/** Returns the text of an array's element. An array becomes the text of an array. */
function elementOf(value: unknown): string {
  if (typeof value === "number") return String(value);
  const text = Array.isArray(value) ? `{${value.join(",")}}` : storable(String(value));
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** Removes what Postgres cannot store in text, and the marks of found words. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll(/[\0\uE000\uE001]/g, "\uFFFD");
}
