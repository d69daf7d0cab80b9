import { messageOf, PawlError } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { afterBarrier } from "../loop/leg/stored-first.ts";
import type { CallState } from "../session/state.ts";
import { checkedResult, LostResult } from "../tools/result-loss.ts";
import type { Tool } from "../tools/tool.ts";
import { namedError } from "./hook-failures.ts";

/** The largest number of different mistakes that a process reports. */
const MOST_TOLD = 1_000;

/** Reports a mistake of the application to `onError`, unless this process has reported it before. */
export function reportOnce(leg: Leg, name: string, what: string, error: Error): void {
  const { report, life } = leg;
  const mistake = JSON.stringify([leg.run.agent.name, name, what]);
  // A tool whose call was stopped may return anything, e.g. the event of its signal.
  if (life.signal.aborted || report.mistakes.has(mistake) || report.mistakes.size >= MOST_TOLD) return;
  report.mistakes.add(mistake);
  // The call does not wait for the report. If another process has taken over the session, that one reports.
  Promise.resolve(afterBarrier(leg, () => report.toFix(error))).catch(() => undefined);
}

/**
 * Returns a tool's return value as JSON. Literals do not come here, see `literalResult()`.
 *
 * @throws LostResult if JSON would lose a part of it. The mistake is reported to the application, too.
 */
export function resultAsJson(leg: Leg, tool: Tool, value: unknown): Json {
  const checked = checkedResult(value);
  if ("json" in checked) return checked.json;
  const { loss } = checked;
  const message = `The tool "${tool.name}" of the agent "${leg.run.agent.name}" returned a value that JSON cannot represent: ${loss}. Its call failed. Return JSON, e.g. \`String(id)\`, \`[...set]\` or \`Object.fromEntries(map)\`.`;
  // What a server returns is no mistake of the application, e.g. the number 1e999.
  if (tool.source === undefined) reportOnce(leg, tool.name, loss, new Error(message));
  throw new LostResult(loss);
}

/**
 * Reports what a tool's `execute` threw, if it looks like a bug: a `TypeError` or `ReferenceError` of the
 * language, or options that Pawl refuses, e.g. of `context.runAgent()`. Without this report, only the model
 * would read the error. Reports all that its `format` threw.
 */
export function reportMistake(leg: Leg, tool: Tool, thrown: unknown, of: "execute" | "format"): void {
  const whose = `tool "${tool.name}" of the agent "${leg.run.agent.name}"`;
  // The stack of a PawlError begins inside Pawl.
  const stack = PawlError.is(thrown) ? "" : (Object(thrown).stack ?? "");
  const [place = ""] = /\n\s+at .*/.exec(stack) ?? [];
  const isOwn = of === "format" && !isBug(thrown);
  const what = isOwn
    ? messageOf(thrown)
    : `${nameOf(thrown)}${messageOf(thrown)}${place.replace(/\s+/g, " ")}`;
  if (of === "format") {
    const text = `\`format\` of the ${whose} failed, so the model got the result in its default form: ${what}`;
    reportOnce(leg, tool.name, of, new Error(text, { cause: thrown }));
  } else if (isBug(thrown)) {
    const text = `The ${whose} seems to have a bug, which only its model has read: ${what}`;
    reportOnce(leg, tool.name, place || messageOf(thrown), new Error(text, { cause: thrown }));
  }
}

/** Reports what the application's code threw before or around a call: a schema, or one of its functions. */
export function reportCall(leg: Leg, { toolName }: Pick<CallState, "toolName">, cause: unknown): void {
  const what = `A call of the tool "${toolName}" of the agent "${leg.run.agent.name}" failed`;
  reportOnce(leg, toolName, messageOf(cause), namedError(what, cause));
}

function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ` : "";
}

// Not a bug: a `TypeError` of `fetch`, which has a cause, or one of Node, which has a code (an invalid URL).
function isBug(thrown: unknown): thrown is Error {
  if (PawlError.is(thrown, "config")) return true;
  if (!(thrown instanceof Error) || !["TypeError", "ReferenceError"].includes(thrown.name)) return false;
  return !/\bfetch\b/i.test(thrown.message) && !("cause" in thrown) && !("code" in thrown);
}
