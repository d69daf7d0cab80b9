/** The fields of a value from the wire; none if it is not an object. */
export type Fields = ReadonlyMap<string, unknown>;

/** Reads a value from the wire as an object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value))
    : new Map();
}

/** Reads a value from the wire as a list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Reads a value from the wire as a text; `""` for any other value. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Reads a value from the wire as a finite number; 0 for any other value. */
export function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** Reads the texts of a list. */
export function textsOf(value: unknown): string[] {
  return listOf(value).filter((one) => typeof one === "string");
}
