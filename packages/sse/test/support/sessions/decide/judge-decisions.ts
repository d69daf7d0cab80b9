import { timelineOf } from "@pawl/core/inspect";
import { same } from "../same.ts";
import type { Traced } from "../spans/traced-session.ts";
import { type Decided, decidedIn, inputFor, redactedCalls } from "./decided.ts";
import { LOG, leaks, MODEL, PAGES } from "./decisions.ts";
import { judgeDialects } from "./judge-dialects.ts";
import { judgeLive } from "./judge-live.ts";
import { judgeModel, judgeRefused } from "./judge-model.ts";

/** Asserts that all readers of a session say the same of its calls, and get nothing that they may not have. */
export async function judgeDecisions(made: Traced): Promise<void> {
  const { decides, log, live, view, results, requests, recorded } = made;
  const stored = log.filter(({ type }) => type !== "error");
  const said = live.filter(({ type }) => type !== "error");
  const spans = recorded.begun.map(({ span: { name, attributes, events, status } }) => ({
    ...{ name, attributes, events, status },
  }));
  const places: [string, unknown, string[]][] = [
    ["the log", stored, LOG],
    ["the stream of a run", said, LOG],
    ["the model's requests", requests, decides?.beside ? [...MODEL, "REFUSED"] : MODEL],
    // The cause of a failure is for developers.
    ["results", results, [...MODEL, "ERROR"]],
    ["the timeline", timelineOf(log), MODEL],
    ["spans", spans, MODEL],
    ["the view", view, PAGES],
  ];
  for (const [place, what, allowed] of places)
    same(leaks(JSON.stringify(what), allowed), [], `what ${place} must not have`);
  const redacted = redactedCalls(log);
  const calls = decidedIn(log).filter(({ callId }) => !redacted.has(callId));
  judgeRan(made);
  judgeModel(made, calls);
  judgeRefused(made);
  judgeActions(made);
  judgeView(made, calls);
  judgeTimeline(made, calls);
  judgeSpanInputs(made, calls);
  judgeLive(made);
  await judgeDialects(made, calls);
}

/** What ran is what the log says. */
function judgeRan({ ran, log }: Traced): void {
  for (const { callId, started, edit, written } of decidedIn(log)) {
    if (!ran.has(callId)) continue;
    same(ran.get(callId), edit?.input ?? written, `the input of ${callId}`);
    same(started, true, `${callId} has run, and the log does not say so`);
  }
}

function judgeActions({ results, log }: Traced): void {
  const calls = decidedIn(log);
  for (const { runId, actions, stop } of results) {
    if (stop.type === "suspended") continue;
    const own = calls.filter(({ run }) => run === runId);
    const outcomeOf = ({ success, skipped }: (typeof actions)[number]) =>
      skipped !== undefined && success === false ? "skipped" : success ? "done" : "failed";
    same(
      actions.map((one) => [one.tool, one.args, one.input ?? one.args, outcomeOf(one)]),
      own.map((one) => [one.tool, one.written, inputFor("model", one), one.outcome]),
      "the actions of a result",
    );
  }
}

const PHASES = { done: "done", failed: "error", skipped: "skipped", open: "open" };

function judgeView({ view }: Traced, calls: readonly Decided[]): void {
  const parts = view.messages.flatMap((message) => message.parts);
  const shown = new Map(
    parts.flatMap((part) =>
      part.type === "tool" && !part.key.endsWith(":ask") ? [[part.callId, part]] : [],
    ),
  );
  for (const call of calls) {
    const part = shown.get(call.callId);
    if (part === undefined) throw new Error(`The view lacks ${call.callId}.`);
    const { role, arguments: written, input = written, phase } = part;
    const isOpen = phase === "running" || phase === "waiting";
    same(
      [role, isOpen ? "open" : phase, written, input],
      [call.role, PHASES[call.outcome], call.written, inputFor("pages", call)],
      `${call.callId} in the view`,
    );
  }
}

function judgeTimeline({ log }: Traced, calls: readonly Decided[]): void {
  const all = timelineOf(log).flatMap(({ turns }) => turns.flatMap((turn) => turn.calls));
  const phases = new Map(all.map((call) => [call.callId, call]));
  for (const call of calls.filter(({ outcome }) => outcome !== "open")) {
    const { phase, input } = phases.get(call.callId) ?? {};
    const told = inputFor("model", call);
    same([phase, input ?? call.written], [PHASES[call.outcome], told], `${call.callId} in the timeline`);
  }
}

function judgeSpanInputs({ recorded, log }: Traced, calls: readonly Decided[]): void {
  const own = recorded.begun.filter(({ given }) => given["gen_ai.conversation.id"] === "s");
  const inputs = new Map(
    own.map(({ given }) => [given["gen_ai.tool.call.id"], given["gen_ai.tool.call.arguments"]]),
  );
  for (const call of calls.filter(({ started }) => started))
    same(inputs.get(call.callId), JSON.stringify(inputFor("model", call)), `the span of ${call.callId}`);
  const chats = own.filter(({ given }) => given["gen_ai.operation.name"] === "chat");
  same(
    chats.map(({ given }) => given["pawl.role"]),
    log.flatMap(({ type, data }) => (type === "llm_request" ? [data.role] : [])),
    "the roles of spans",
  );
}
