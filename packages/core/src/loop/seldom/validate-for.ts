import { withinDeadline } from "../../base/deadline.ts";
import type { Leg } from "../../leg/leg.ts";
import { type Infer, type Schema, type Validated, validated } from "../../tools/schema.ts";

/**
 * Validates a value. Stops waiting when the leg's in-flight work is aborted. If the schema has to wait, e.g.
 * for a database, stores the held events first.
 */
export async function validateFor<S extends Schema>(
  leg: Leg,
  schema: S,
  value: unknown,
): Promise<Validated<Infer<S>>> {
  return await validated(schema, value, async (work) => {
    await leg.log.storeHeld();
    return await withinDeadline(leg.life, work);
  });
}
