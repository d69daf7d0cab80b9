import { kindOf } from "../base/check-options.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { jsonLoss } from "../base/json-loss.ts";
import { USER_DATA } from "../context/prefix.ts";
import { isOwnTag, WRAPPER_TAGS } from "../context/sanitize.ts";
import type { AppendableEvent } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import { isReserved } from "../log/event-keys.ts";
import { MOST_TOKENS } from "../model/pricing.ts";

/**
 * The required fields, and their types, of Pawl's own events that a hook or a tool may store, by event type.
 */
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
 * Checks an event that a hook or a tool wants to store.
 *
 * @param whose `hook` or `tool`
 * @throws PawlError `invalid_input` if a hook or tool may not store such events, or if the event would make
 * every later request invalid.
 */
export function checkAppendable(whose: string, event: AppendableEvent): void {
  if (typeof event !== "object" || event === null)
    throw invalidInput(
      `append() must be given an event, e.g. { type: "app.done", data: {} }; got ${kindOf(event)}.`,
    );
  const { type, data, key } = event;
  if (typeof type !== "string")
    throw invalidInput(`The type of an event must be a string, not ${typeof type}.`);
  if (isReserved(key)) throw invalidInput(`The key "${key}" is reserved by Pawl.`);
  if (data === undefined) throw missingDataError(event);
  const loss = jsonLoss(data, "data");
  if (loss !== undefined)
    throw invalidInput(`The \`data\` of "${type}" must be a value that JSON can represent; ${loss}.`);
  if (!type.includes(".")) checkFields(whose, type, Object(data) as Record<string, unknown>);
}

/** Returns the types of Pawl's own events that a hook or a tool may store. */
function allowedTo(whose: string): string[] {
  const types = Object.keys(FIELDS);
  // A tool stores artifacts with `context.createArtifact()`.
  return whose === "tool" ? types.filter((type) => type !== "artifact") : types;
}

/** Returns the error for an event without `data`. It lists the event's unknown fields. */
function missingDataError({ type, ...fields }: AppendableEvent): Error {
  const unknown = Object.keys(fields).filter((name) => !["data", "key", "durationMs"].includes(name));
  const hint = unknown.length === 0 ? "" : ` It has ${unknown.map((name) => `\`${name}\``).join(", ")}.`;
  return invalidInput(`The event "${type}" has no \`data\`: append({ type, data, key? }).${hint}`);
}

/** Checks the data of one of Pawl's own events. @throws PawlError `invalid_input` */
function checkFields(whose: string, type: string, values: Record<string, unknown>): void {
  const fields = Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined;
  if (fields === undefined)
    throw invalidInput(
      `A ${whose} cannot store a "${type}". It may store ${allowedTo(whose).join(", ")} and types that contain a dot.`,
    );
  for (const [field, kind] of Object.entries(fields)) {
    const value = Object.hasOwn(values, field) ? values[field] : undefined;
    if (typeof value !== kind || value === null)
      throw invalidInput(`"${field}" of "${type}" must be of type ${kind}, not ${typeof value}.`);
  }
  if (values.source === USER_DATA)
    throw invalidInput(`The source "${USER_DATA}" is reserved for the agent's userData.`);
  if ((type === "note" || type === "knowledge") && values.tag !== undefined) checkTag(values.tag);
  if (type === "spending") checkSpending(values as unknown as EventData["spending"]);
  if (type === "spending" && "attempt" in values)
    throw invalidInput("A `spending` must not have `attempt`: the run itself charges a lost answer.");
  if (type === "spending" && "answer" in values)
    throw invalidInput("A `spending` must not have `answer`: context.askModel stores the answers of models.");
  if (type === "note") checkNote(whose, values);
}

function checkNote(whose: string, values: Record<string, unknown>): void {
  if ("continues" in values)
    throw invalidInput("A `note` must not have `continues`: return `{ continue }` from `afterTurn`.");
  if ("landing" in values)
    throw invalidInput(
      `A \`note\` of a ${whose} must not have \`landing\`: only a limit starts the last turn.`,
    );
}

function checkTag(tag: unknown): void {
  if (isOwnTag(tag)) return;
  const shown = typeof tag === "string" ? JSON.stringify(tag.slice(0, 80)) : typeof tag;
  throw invalidInput(
    `\`tag\` must be the name of a tag that Pawl does not use itself, e.g. "Plan"; got ${shown}. Pawl uses ${WRAPPER_TAGS.join(", ")}.`,
  );
}

/** The largest token count in a `spending`: prompt, answer, cache reads and cache writes together. */
const MOST_SPENT = 4 * MOST_TOKENS;

/** The highest cost in a `spending`, in cents: a price is at most one US dollar per token. */
const MOST_CENTS = 100 * MOST_SPENT;

/** Checks the numbers of a `spending`. Negative numbers would reduce the use that limits count. */
function checkSpending({ tokens, cost_cents }: EventData["spending"]): void {
  const { prompt, completion, cached, cache_write, cache_write_1h, total } = tokens;
  for (const count of [prompt, completion, cached, cache_write, cache_write_1h, total]) {
    if (!(Number.isInteger(count) && count >= 0 && count <= MOST_SPENT))
      throw invalidInput(`Token counts must be whole numbers from 0 to ${MOST_SPENT}, not ${count}.`);
  }
  if (!(cost_cents >= 0 && cost_cents <= MOST_CENTS))
    throw invalidInput(`cost_cents must be a number from 0 to ${MOST_CENTS}, not ${cost_cents}.`);
}
