import { USER_DATA } from "../context/prefix.ts";
import type { EventData } from "../log/event-data.ts";
import { MOST_TOKENS } from "../model/pricing.ts";
import type { AppendableEvent } from "./hook.ts";

const FIELDS: { readonly [type: string]: { readonly [field: string]: string } } = {
  knowledge: { source: "string", data: "string" },
  note: { text: "string" },
  spending: { by: "string", model: "string", tokens: "object", cost_cents: "number" },
  artifact: {
    artifact_id: "string",
    type: "string",
    schema_version: "string",
    title: "string",
    summary: "object",
    auto_start: "boolean",
    payload: "object",
  },
};

/**
 * Checks an event that a hook wants to store.
 *
 * @throws Error with the reason, if hooks may not store such events, or if the event would make every later
 * request invalid.
 */
export function checkAppendable({ type, data }: AppendableEvent): void {
  if (type.includes(".")) return;
  const fields = Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined;
  if (fields === undefined)
    throw new Error(
      `A hook cannot store a "${type}". It may store ${Object.keys(FIELDS).join(", ")} and types that contain a dot.`,
    );
  const values = Object(data) as Record<string, unknown>;
  for (const [field, kind] of Object.entries(fields)) {
    const value = Object.hasOwn(values, field) ? values[field] : undefined;
    if (typeof value !== kind || value === null)
      throw new Error(`"${field}" of "${type}" must be of type ${kind}, not ${typeof value}.`);
  }
  if (values.source === USER_DATA)
    throw new Error(`The source "${USER_DATA}" is reserved for the agent's userData.`);
  if (type === "spending") checkSpending(values as unknown as EventData["spending"]);
  if (type === "spending" && "attempt" in values)
    throw new Error("A `spending` must not have `attempt`: the run itself charges a lost answer.");
  if (type === "spending" && "answer" in values)
    throw new Error("A `spending` must not have `answer`: context.askModel stores the answers of models.");
  if (type === "note" && "landing" in values)
    throw new Error("A `note` of a hook must not have `landing`: only a limit starts the last turn.");
}

/** The largest token count in a `spending`: prompt, answer, cache reads and cache writes together. */
const MOST_SPENT = 4 * MOST_TOKENS;

// A price is at most one US dollar per token.
const MOST_CENTS = 100 * MOST_SPENT;

/** Checks the numbers of a `spending`. Negative numbers would reduce the use that limits count. */
function checkSpending({ tokens, cost_cents }: EventData["spending"]): void {
  const { prompt, completion, cached, cache_write, cache_write_1h, total } = tokens;
  for (const count of [prompt, completion, cached, cache_write, cache_write_1h, total]) {
    if (!(Number.isInteger(count) && count >= 0 && count <= MOST_SPENT))
      throw new Error(`Token counts must be whole numbers from 0 to ${MOST_SPENT}, not ${count}.`);
  }
  if (!(cost_cents >= 0 && cost_cents <= MOST_CENTS))
    throw new Error(`cost_cents must be a number from 0 to ${MOST_CENTS}, not ${cost_cents}.`);
}
