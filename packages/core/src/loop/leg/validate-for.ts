import { withinDeadline } from "../../base/deadline.ts";
import { type Infer, type Schema, type Validated, validated } from "../../schema/schema.ts";
import type { CallState } from "../../session/state.ts";
import { answerExcess } from "../../tools/answer-bounds.ts";
import type { Leg } from "./leg.ts";
import { storeHeld } from "./stored-first.ts";

/**
 * Validates the answer to a call by its tool's schema. An answer that is too large is invalid: the database
 * itself may have stored it, and does not check the size.
 */
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
 * Validates a value. If the schema validates asynchronously, stores the held events first. Stops waiting when
 * the leg's in-flight work is aborted.
 */
export async function validateFor<S extends Schema>(
  leg: Leg,
  schema: S,
  value: unknown,
): Promise<Validated<Infer<S>>> {
  return await validated(schema, value, async (work) => {
    await storeHeld(leg);
    return await withinDeadline(leg.life, work);
  });
}
