import type { Json } from "../base/json.ts";
import type { Leg } from "../loop/leg/leg.ts";
import { afterBarrier } from "../loop/leg/stored-first.ts";
import { checkedResult, LostResult } from "../tools/result-loss.ts";
import type { Tool } from "../tools/tool.ts";

/** The most mistakes that a process reports, each once. */
const MOST_TOLD = 1_000;

/** Reports a mistake of the application to `onError`, unless this process has reported it before. */
function reportOnce(leg: Leg, { name }: Tool, what: string, error: Error): void {
  const { report, life } = leg;
  const mistake = JSON.stringify([leg.run.agent.name, name, what]);
  // A tool that was stopped may return whatever it has at hand, e.g. the event of its signal.
  if (life.signal.aborted || report.mistakes.has(mistake) || report.mistakes.size >= MOST_TOLD) return;
  report.mistakes.add(mistake);
  // The report does not hold up the call. If another process has the session, its own process reports.
  Promise.resolve(afterBarrier(leg, () => report.toFix(error))).catch(() => undefined);
}

/**
 * Returns the JSON of a tool's return value that is more than literals.
 *
 * @throws LostResult if JSON would lose a part of it. The application gets a report, too.
 */
export function resultAsJson(leg: Leg, tool: Tool, value: unknown): Json {
  const checked = checkedResult(value);
  if ("json" in checked) return checked.json;
  const { loss } = checked;
  const message = `The tool "${tool.name}" of the agent "${leg.run.agent.name}" returned a value that JSON cannot represent: ${loss}. Its call failed. Return JSON, e.g. \`String(id)\`, \`[...set]\` or \`Object.fromEntries(map)\`.`;
  reportOnce(leg, tool, loss, new Error(message));
  throw new LostResult(loss);
}

/**
 * Reports what a tool threw, if it looks like a bug: a `TypeError` or `ReferenceError` of the language.
 * Otherwise only the model would read it.
 */
// `fetch` throws TypeErrors with a cause, and Node's own functions some with a code, e.g. for an invalid URL.
export function reportIfBug(leg: Leg, tool: Tool, thrown: unknown): void {
  if (!(thrown instanceof Error) || !(thrown.name === "TypeError" || thrown.name === "ReferenceError"))
    return;
  const { message, stack = "" } = thrown;
  if (/\bfetch\b/i.test(message) || "cause" in thrown || "code" in thrown) return;
  const [place = ""] = /\n\s+at .*/.exec(stack) ?? [];
  const text = `The tool "${tool.name}" of the agent "${leg.run.agent.name}" seems to have a bug, which only its model has read: ${thrown.name}: ${message}${place.replace(/\s+/g, " ")}`;
  reportOnce(leg, tool, place, new Error(text, { cause: thrown }));
}
