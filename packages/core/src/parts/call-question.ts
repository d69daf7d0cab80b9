import { isEqualJson, type Json, toJson } from "../base/json.ts";
import type { NewEvent } from "../log/event.ts";
import type { Leg } from "../loop/leg/leg.ts";
import type { AskStep, CallInput } from "../loop/leg/part-types.ts";
import { afterBarrier } from "../loop/leg/stored-first.ts";
import { validateFor } from "../loop/leg/validate-for.ts";
import { changedInput } from "../loop/tools/prepare-call.ts";
import { questionEvent } from "../session/close-calls.ts";
import type { CallState } from "../session/state.ts";
import { storedQuestionOf } from "../tools/define-tool.ts";
import type { Tool } from "../tools/tool.ts";
import { consentIn } from "./consent.ts";
import { fieldOf, isObject, parsedAsJson } from "./edited-input.ts";

/** Returns the question that a hook, or the tool before it runs, asks about a call. */
export async function callQuestion(leg: Leg, call: CallState, tool: Tool, step: AskStep): Promise<NewEvent> {
  const about = await consentIn(call, tool, step);
  if (step.do === "ask_for_tool") return await questionOfTool(leg, call, tool, { ...step, about });
  const { ask, by } = step;
  const { input } = Object(ask.payload) as { input?: Json };
  // An approval shows the input that will run. What other questions of hooks show is the application's.
  const showsInput = ask.kind === "approval" && input !== undefined;
  const payload = showsInput
    ? { ...Object(ask.payload), input: await questionInput(leg, call, tool, { ...step, input }) }
    : ask.payload;
  return questionEvent(call, { ...ask, payload, by, about, ...changedInput(step) });
}

async function questionOfTool(
  leg: Leg,
  call: CallState,
  tool: Tool,
  { about, ...callInput }: CallInput & Pick<Parameters<typeof questionEvent>[1], "about">,
): Promise<NewEvent> {
  const { kind = tool.name, payload } = tool.suspends as NonNullable<Tool["suspends"]>;
  const shown = async () => {
    if (payload !== undefined) return toJson(await afterBarrier(leg, () => payload(callInput.input)));
    // A page runs its tool with the input as it is.
    return tool.runsIn ? toJson(callInput.input) : await questionInput(leg, call, tool, callInput);
  };
  return questionEvent(call, {
    kind,
    payload: await shown(),
    ...(about && { about }),
    ...storedQuestionOf(tool),
    ...changedInput(callInput),
    ...(tool.runsIn && { client_tool: tool.name }),
  });
}

/** What a question shows in place of a value or a name that a hook hides. */
const HIDDEN_VALUE = "[hidden]";

/**
 * Returns a call's input as a question shows it. If a hook hides its change, replaces each value that the
 * model did not write, so that the user sees that something is hidden.
 */
async function questionInput(
  leg: Leg,
  call: CallState,
  tool: Tool,
  { input, inputFor }: CallInput,
): Promise<Json> {
  const shown = toJson(input);
  if (inputFor !== "nobody") return shown;
  const parsed = await validateFor(leg, tool.input, call.arguments);
  // What the tool's schema adds by itself is no change of a hook, and the names of its fields are no secret.
  const before = [call.arguments, parsed.ok ? parsedAsJson(parsed.value) : undefined];
  return masked(shown, before, Object.keys(Object(tool.spec.input_schema.properties)));
}

/**
 * Replaces the values that none of the inputs before has at the same place, and the names of fields that are
 * neither there nor among `names`.
 */
function masked(input: Json, before: readonly (Json | undefined)[], names: readonly string[] = []): Json {
  if (before.some((one) => one !== undefined && isEqualJson(one, input))) return input;
  if (!isObject(input) || !before.some(isObject)) return HIDDEN_VALUE;
  const fields = Object.entries(input).map(([name, value]) => {
    const was = before.map((one) => fieldOf(one, name));
    const isKnown = names.includes(name) || was.some((one) => one !== undefined);
    return [isKnown ? name : HIDDEN_VALUE, masked(value, was)];
  });
  return Object.fromEntries(fields);
}
