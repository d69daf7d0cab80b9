import { PawlError } from "../base/errors.ts";
import type { Json, JsonObject } from "../base/json.ts";

/** The longest name or address in a schema of another server, in characters. */
export const MOST_NAME_LENGTH = 1_000;

/** Keywords whose value is an address. */
const ADDRESSES: readonly string[] = ["$id", "id", "$ref", "$anchor", "$dynamicAnchor"];

/**
 * Refuses long names and addresses in a schema of another server. Each reference is resolved against the
 * address around it, so the time for long ones would grow with the square of their length.
 *
 * @throws PawlError `config`
 */
export function refuseLongNames(schema: JsonObject): void {
  const waiting: Json[] = [schema];
  for (const part of waiting) {
    if (typeof part !== "object" || part === null) continue;
    for (const [key, value] of Object.entries(part)) {
      const length = ADDRESSES.includes(key) && typeof value === "string" ? value.length : key.length;
      if (length > MOST_NAME_LENGTH)
        throw new PawlError(
          "config",
          `A name, an \`$id\` or a \`$ref\` in a JSON Schema from outside may have at most ${MOST_NAME_LENGTH} characters.`,
        );
      waiting.push(value);
    }
  }
}
