import { withinDeadline } from "../../base/deadline.ts";
import { type Infer, type Schema, type Validated, validated } from "../../schema/schema.ts";
import type { CallState } from "../../session/state.ts";
import { answerExcess } from "../../tools/answer-bounds.ts";
import type { Leg } from "./leg.ts";
import { storedFirst } from "./stored-first.ts";

/** Validates the answer to a call by its tool's schema. The database may have stored one of any size. */
export async function validateAnswer<S extends Schema>(
  leg: Leg,
  schema: S,
  { answer }: CallState,
): Promise<Validated<Infer<S>>> {
  const excess = answerExcess(answer?.value);
  return excess === undefined
    ? await validateFor(leg, schema, answer?.value)
    : { ok: false, problems: [excess] };
}

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
    await storedFirst(leg);
    return await withinDeadline(leg.life, work);
  });
}
