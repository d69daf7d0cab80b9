/** The type of each column that is inserted. */
export type ColumnTypes<Row> = Readonly<Record<keyof Row & string, string>>;

/**
 * Converts rows to one array for each column, as the text of an array: every driver sends it alike, and
 * Postgres reads it several times faster than JSON. `first` is the number of the first parameter.
 *
 * - A missing value, `null` and `undefined` become NULL.
 * - A number in a column of type `timestamptz` is a time in milliseconds since 1970.
 * - A column that is itself an array travels as text. `select` casts it, from a row called `r`.
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
    values: columns.map(([name, type]) =>
      arrayText(rows.map((row) => (Object.hasOwn(row, name) ? timeOf(row[name], type) : null))),
    ),
  };
}

function timeOf(value: unknown, type: string): unknown {
  return type === "timestamptz" && typeof value === "number" ? new Date(value).toISOString() : value;
}

/** Converts values to the text of an array, e.g. for `$1::text::text[]`. */
export function arrayText(values: readonly unknown[]): string {
  return `{${values.map(elementOf).join(",")}}`;
}

/** Returns the text of an array's element. An array becomes the text of an array. */
function elementOf(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = Array.isArray(value) ? arrayText(value) : String(value);
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
