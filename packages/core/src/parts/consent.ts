import { canonicalJson, isEqualJson, type Json, toJson } from "../base/json.ts";
import { sha256 } from "../base/sha256.ts";
import type { Consent, ConsentPart } from "../log/consent.ts";
import { consentChanges } from "../log/consent.ts";
import { screenCall } from "../loop/hooks/tool-hooks.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { CallInput, Consented, PrepareKnown } from "../loop/leg/part-types.ts";
import { validateFor } from "../loop/leg/validate-for.ts";
import type { Validated } from "../schema/schema.ts";
import { resultEvent } from "../session/close-calls.ts";
import type { CallState } from "../session/state.ts";
import type { Tool } from "../tools/tool.ts";
import { changedSinceConsent, hasAsked } from "./versions.ts";

// A question that lets a call run is about something: the input that it shows, and for a tool of somebody
// else, the tool as it was. What runs after the answer is that, or the user is asked again.

/** Returns what the user consents to if the call runs with this input. */
export async function consentIn(
  { arguments: written }: CallState,
  tool: Tool,
  { input, changed = written }: CallInput,
): Promise<Consent> {
  const shown = shownInput(input);
  const hashes = await hashesOf(tool);
  return { ...(!isEqualJson(shown, changed) && { input: shown }), ...(hashes && { tool: hashes }) };
}

/**
 * Returns a parsed input as JSON that differs if the input does, also where JSON would lose the difference.
 * Returns `null` for an input with a cycle. Functions are left out: they are code.
 */
function shownInput(input: unknown): Json {
  try {
    return toJson(JSON.parse(JSON.stringify(input, withoutLoss) ?? "null"));
  } catch {
    return null;
  }
}

/** A replacer for `JSON.stringify` that names the values which JSON lacks, e.g. `{ bigint: "10" }`. */
function withoutLoss(_key: string, part: unknown): unknown {
  if (typeof part === "bigint" || typeof part === "symbol") return { [typeof part]: String(part) };
  if (typeof part === "number" && !Number.isFinite(part)) return { number: String(part) };
  if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
  if (part instanceof RegExp || part instanceof Error) return { [part.constructor.name]: String(part) };
  if (part instanceof ArrayBuffer) return { bytes: [...new Uint8Array(part)] };
  // E.g. a Map, a Set or a URLSearchParams. An iterator could be read only once.
  return Symbol.iterator in part && !("next" in part) ? { items: [...(part as Iterable<unknown>)] } : part;
}

/** Returns the hashes of a tool that somebody else describes; `undefined` for the application's own. */
async function hashesOf({ spec, annotations, source }: Tool): Promise<Consent["tool"]> {
  if (source === undefined) return undefined;
  const hash = async (part: unknown) => await sha256(canonicalJson(part));
  return {
    description: await hash(spec.description),
    input_schema: await hash(spec.input_schema),
    annotations: await hash(annotations ?? {}),
    server: await hash([
      source.name,
      source.address ?? "",
      ...(source.parameters ? [source.parameters] : []),
    ]),
  };
}

/**
 * Prepares a call about which the user was asked. It runs as it was shown. If that has changed, the user is
 * asked again: the hook that has asked gets the answer first, so that a no stays a no. Then the hooks and the
 * tool decide as if nobody had been asked. If none of them asks, or the call has started, it does not run.
 */
export async function prepareAsked<R extends Consented>(
  leg: Leg,
  call: CallState,
  tool: Tool,
  prepare: PrepareKnown<R>,
): ReturnType<PrepareKnown<R>> {
  // The answer is the result: it lets nothing run.
  if (hasAsked(call) && tool.execute === undefined) return await prepare(call, {});
  const written = call.started?.input ?? call.question?.input;
  const { changes, ...input } = await inputAsShown(leg, call, tool, written ?? call.arguments);
  // The message of a task that has begun is in a session of its own.
  const isTask = call.started?.slice !== undefined;
  if (!input.ok || changes === undefined || (isTask && (await leg.run.tasks.begun(leg, call)))) {
    const prepared = await prepare(call, { input });
    if (prepared.do === "store") return prepared;
    return { ...prepared, about: await consentIn(call, tool, prepared) };
  }
  const unbegun = isTask ? { ...call, started: undefined, running: false } : call;
  const refusal = resultEvent(call, false, changedSinceConsent(unbegun, changes));
  if (call.started !== undefined) return { do: "store", events: [refusal] };
  if (call.question?.by !== undefined) {
    const { inputFor } = call.question;
    const screened = await screenCall(leg, call, tool, { input: input.value, changed: written, inputFor }, 1);
    if (screened.do !== "run") return await prepare(call, { input, screened });
  }
  const unasked = { ...call, question: undefined, answer: undefined, about: undefined };
  const prepared = await prepare(unasked, {});
  if (prepared.do === "run") return { do: "store", events: [refusal] };
  const events = prepared.events.map((event) =>
    event.type === "tool_suspended" ? { ...event, data: { ...event.data, changed: [...changes] } } : event,
  );
  return { do: "store", events };
}

/** A call's input, validated. `changes`: what differs from what the user has consented to. */
type CheckedInput = Validated<unknown> & { changes?: readonly ConsentPart[] };

/**
 * Validates the input of a call about which the user was asked. `written` is the input before it is parsed.
 * If the tool's schema makes something else of it by now, the input that was shown is used, if the schema
 * leaves it as it is. `changes` says what differs all the same.
 */
async function inputAsShown(leg: Leg, call: CallState, tool: Tool, written: Json): Promise<CheckedInput> {
  const parsed = await validateFor(leg, tool.input, written);
  const { about, question } = call;
  if (about === undefined) return parsed;
  const { input: shown = written } = about;
  const isShown = (one: CheckedInput) => one.ok && isEqualJson(shownInput(one.value), shown);
  const again = isShown(parsed) ? parsed : await validateFor(leg, tool.input, shown);
  const input = isShown(again) ? again : parsed;
  if (!input.ok) return input;
  // A call that has asked or waited while it ran is at its source already.
  const hashes = question?.midway ? about.tool : await hashesOf(tool);
  const now = { input: shownInput(input.value), ...(hashes && { tool: hashes }) };
  const changes = consentChanges({ ...about, input: shown }, now);
  return changes.length === 0 ? input : { ...input, changes };
}
