import { checkOptions, type OptionKinds } from "../base/check-options.ts";
import { messageOf, PawlError } from "../base/errors.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { toJson } from "../base/json.ts";
import { MOST_TAGS } from "../context/own-tags.ts";
import { checkAppendable } from "../hooks/check-appendable.ts";
import type { AppendableEvent } from "../log/event.ts";
import type { Leg, Parts } from "../loop/leg/leg.ts";
import type { MidwayQuestion } from "../loop/leg/part-types.ts";
import { toJsonSchema } from "../schema/to-json-schema.ts";
import { openRun } from "../session/state.ts";
import { storedExpiry, storedMoment } from "../tools/expiry.ts";
import type { ToolContext } from "../tools/tool.ts";

/**
 * Checks the argument of a tool's `ask()`, and returns it as it is stored. @throws PawlError `invalid_input`
 */
export function midwayQuestion(question: Parameters<ToolContext["ask"]>[0]): MidwayQuestion {
  checkOptions("context.ask()", question, QUESTION, { code: "invalid_input" });
  const { kind, payload, answer, state, expires } = question;
  const expiry = expires && storedExpiry("context.ask()", expires, answer);
  try {
    return {
      kind,
      payload: toJson(payload),
      answer_schema: toJsonSchema(answer, `answers to "${kind}"`),
      ...(state !== undefined && { state: toJson(state) }),
      ...(expiry !== undefined && { expires: expiry }),
    };
  } catch (cause) {
    throw invalidInput(`context.ask() must be given JSON and a schema: ${messageOf(cause)}`, cause);
  }
}

const QUESTION: OptionKinds<Parameters<ToolContext["ask"]>[0]> = {
  kind: "string!",
  payload: "any!",
  answer: "any!",
  state: "any",
  expires: "object",
};

/**
 * Checks the argument of a tool's `wait()`, and returns it as it is stored: as a hidden question that gets
 * the answer `null` at that time.
 *
 * @throws PawlError `invalid_input`
 */
export function midwayWait(wait: Parameters<ToolContext["wait"]>[0]): MidwayQuestion {
  checkOptions("context.wait()", wait, WAIT, { code: "invalid_input" });
  const moment = storedMoment("context.wait()", wait);
  const { state } = wait;
  try {
    return {
      kind: "wait",
      payload: {},
      answer_schema: { type: "null" },
      ...(state !== undefined && { state: toJson(state) }),
      expires: { ...moment, default: null },
      hidden: true,
    };
  } catch (cause) {
    throw invalidInput(`context.wait() must be given JSON: ${messageOf(cause)}`, cause);
  }
}

const WAIT: OptionKinds<{ afterMs?: number; at?: unknown; state?: unknown }> = {
  afterMs: "number",
  at: "any",
  state: "any",
};

/** The longest payload of an event that a tool appends, as JSON, in UTF-16 code units. */
const MOST_EVENT_CHARS = 1_000_000;

/** Stores an event of a hook. Resolves to `false` if its key is stored already. */
export async function appendOfHook(leg: Leg, event: AppendableEvent): Promise<boolean> {
  if (openRun(leg.log.state) === undefined)
    throw new Error("The run has ended, so a hook can append nothing more.");
  return await appendOnce(leg, "hook", event);
}

/**
 * Stores an event of a tool, with its data converted to JSON. Resolves to `false` if its key is stored
 * already.
 */
export async function appendOfTool(leg: Leg, event: AppendableEvent): Promise<boolean> {
  if ((event as { type?: unknown } | null | undefined)?.type === "artifact")
    throw invalidInput("A tool stores an artifact with `context.createArtifact()`.");
  checkAppendable("tool", event);
  const { type, key } = event;
  const data = asJson(event.data);
  const { length } = JSON.stringify(data);
  if (length > MOST_EVENT_CHARS)
    throw invalidInput(
      `The data of an event must have at most ${MOST_EVENT_CHARS} characters; got ${length}.`,
    );
  const checked = { type, data, ...(key !== undefined && { key }) } as AppendableEvent;
  return await appendOnce(leg, "tool", checked);
}

function asJson(data: unknown) {
  try {
    return toJson(data);
  } catch (cause) {
    throw invalidInput("The data of an event must be JSON.", cause);
  }
}

/**
 * Stores an event of a hook or a tool. Resolves to `false` if its key is stored already, so that code which
 * runs again after a crash stores it once.
 *
 * @param whose `hook` or `tool`
 * @throws PawlError `invalid_input` for events that a hook or tool may not store
 */
async function appendOnce(leg: Leg, whose: string, event: AppendableEvent): Promise<boolean> {
  checkAppendable(whose, event);
  checkTagHere(leg, event);
  // Pawl's own hooks are called while events are held. If another process has stored something first, the
  // barrier rejects, because the hook has seen a state that is void.
  await leg.log.barrier();
  try {
    await leg.log.add([event]);
    return true;
  } catch (error) {
    if (event.key !== undefined && PawlError.is(error, "key_taken")) return false;
    throw error;
  }
}

/** Checks that this agent and session can use the event's tag. */
function checkTagHere({ log, run: { agent } }: Leg, event: AppendableEvent): void {
  const tag = event.type === "note" || event.type === "knowledge" ? event.data.tag?.toLowerCase() : undefined;
  if (tag === undefined) return;
  if (tag === agent.resultTag?.toLowerCase())
    throw invalidInput(`\`tag\` must not be "${tag}", which is the agent's resultTag.`);
  const { ownTags } = log.state;
  if (!ownTags.has(tag) && ownTags.size >= MOST_TAGS)
    throw invalidInput(
      `A session can use at most ${MOST_TAGS} tags of your own; "${tag}" would be one more.`,
    );
}

// Has the module, not the promise of its import: later calls wait for no import, and a failed one is
// repeated.
let parts: Parts | undefined;

/** Loads the code that few runs need, in a chunk of its own. */
export async function loadParts(): Promise<Parts> {
  parts ??= await import("./index.ts");
  return parts;
}
