import { clipText } from "../base/clip-text.ts";
import { isEqualJson, type Json, toJson } from "../base/json.ts";
import type { NewEvent } from "../log/event.ts";
import type { InputFor } from "../log/event-parts.ts";
import type { EditedCall, EditParts, InputChange, InputEdit } from "../loop/leg/edit-types.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { validateFor } from "../loop/leg/validate-for.ts";
import { listedProblems } from "../schema/problems.ts";
import type { CallState } from "../session/state.ts";
import { reportCall } from "./tool-mistakes.ts";

// A hook may change the input of a call. The model keeps the call as it wrote it, so a note says what the
// tool got. Pages get the input only if they may: a hook may add what its user must not see.

/** Returns a hook's change as JSON. Throws if its `shown` is no boolean. */
export function checkedChange({ input, shown }: InputChange): InputChange {
  if (shown !== undefined && typeof shown !== "boolean")
    throw new Error("`shown` must be true or false, if it is given.");
  return { input: toJson(input), ...(shown !== undefined && { shown }) };
}

const STRICTEST_FIRST: readonly InputFor[] = ["nobody", "model", "all"];

/** Returns who learns a call's input after a hook's change; `undefined` if it is what the model wrote. */
export function inputForAfter(
  { arguments: written }: CallState,
  { before, input, shown, answer }: InputEdit,
): InputFor | undefined {
  if (isEqualJson(input, written)) return undefined;
  const parsed = parsedAsJson(before.input);
  const added = addedValues(input, [before.changed ?? written, parsed]);
  const isSame = isEqualJson(input, before.changed ?? written) || isEqualJson(input, parsed ?? null);
  if (isSame) return before.inputFor;
  const isOfUser = answer !== undefined && added.every((value) => occursIn(answer, value));
  const now = shown === false ? "nobody" : shown || isOfUser ? "all" : "model";
  return STRICTEST_FIRST.find((one) => one === now || one === before.inputFor);
}

/**
 * Returns the values of an input that none of the inputs before has at the same place. Values within objects
 * are compared one by one.
 */
function addedValues(input: Json, before: readonly (Json | undefined)[]): Json[] {
  if (before.some((one) => one !== undefined && isEqualJson(one, input))) return [];
  if (!isObject(input)) return [input];
  return Object.entries(input).flatMap(([name, value]) =>
    addedValues(
      value,
      before.map((one) => fieldOf(one, name)),
    ),
  );
}

/** Returns whether a value is somewhere in the user's answer. */
function occursIn(answer: Json, value: Json): boolean {
  if (isEqualJson(answer, value)) return true;
  return typeof answer === "object" && answer !== null
    ? Object.values(answer).some((part) => occursIn(part, value))
    : false;
}

/**
 * Returns the result of a call whose changed input does not match the tool's schema. If a hook hides its
 * change, only the application learns the problems, which may quote the input.
 */
export const refusedEdit: EditParts<Leg>["refusedEdit"] = (leg, call, { shown, before }, problems) => {
  const why = "The changed input does not match the tool's schema";
  const full = `${why}: ${listedProblems(problems)}`;
  if (shown !== false && before.inputFor !== "nobody") return full;
  reportCall(leg, call, new Error(full));
  return `${why}.`;
};

/** Returns the notes by which the model learns what hooks have changed. */
export const editNotes: EditParts<Leg>["editNotes"] = async (leg, calls) => {
  const notes = await Promise.all(
    calls.map(async (edited) => (edited.inputFor === "nobody" ? [] : await noteOn(leg, edited))),
  );
  return notes.flat();
};

/** The longest part of the model's own input that a note repeats, in characters. */
const MOST_WRITTEN = 200;

async function noteOn(leg: Leg, { call, tool, changed }: EditedCall): Promise<NewEvent[]> {
  const { arguments: written, callId: call_id, toolName } = call;
  // What the tool's schema adds by itself is no change of a hook.
  const parsed = await validateFor(leg, tool.input, written);
  const difference = differenceOf(
    written,
    changed ?? written,
    parsed.ok ? parsedAsJson(parsed.value) : undefined,
  );
  if (difference === undefined) return [];
  const now = clipText(JSON.stringify(difference.now), leg.run.agent.resultLimit);
  const before = clipText(JSON.stringify(difference.before), MOST_WRITTEN);
  const text = `The call ${call_id} of "${toolName}" was made with another input than you wrote: ${now} instead of ${before}.`;
  return [{ type: "note", data: { text, call_id } }];
}

/** Returns the fields in which two inputs differ, or both inputs whole; `undefined` if they are equal. */
function differenceOf(
  before: Json,
  now: Json,
  parsed: Json | undefined,
): { before: Json; now: Json } | undefined {
  if (!isObject(before) || !isObject(now)) return isEqualJson(before, now) ? undefined : { before, now };
  const isChanged = (name: string) =>
    addedValues(fieldOf(now, name) ?? null, [fieldOf(before, name), fieldOf(parsed, name)]);
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  const changed = [...names].filter((name) => !Object.hasOwn(now, name) || isChanged(name).length > 0);
  if (changed.length === 0) return undefined;
  const only = (input: { [name: string]: Json }) =>
    Object.fromEntries(Object.entries(input).filter(([name]) => changed.includes(name)));
  return { before: only(before), now: only(now) };
}

/** Returns a field of an input that is an object. */
export function fieldOf(input: Json | undefined, name: string): Json | undefined {
  return isObject(input) && Object.hasOwn(input, name) ? input[name] : undefined;
}

/** Returns whether an input has fields. */
export function isObject(input: Json | undefined): input is { [name: string]: Json } {
  return typeof input === "object" && input !== null && !Array.isArray(input);
}

/** Returns a parsed input as JSON; `undefined` if JSON would lose a part of it. */
export function parsedAsJson(input: unknown): Json | undefined {
  try {
    return toJson(input);
  } catch {
    return undefined;
  }
}
