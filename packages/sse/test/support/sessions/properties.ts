import fc from "fast-check";
import { agUi, aiSdk } from "../../../src/index.ts";
import { judgeDecisions } from "./decide/judge-decisions.ts";
import { judge } from "./judge.ts";
import { agUiKind, aiSdkKind, type Kind, nativeKind, plainKind } from "./kinds.ts";
import { type Made, makeSession } from "./made.ts";
import { aspClient } from "./plain/asp.ts";
import { coachClient } from "./plain/coach.ts";
import { metricsClient } from "./plain/metrics.ts";
import { trainerClient } from "./plain/trainer.ts";
import { type Plan, plans } from "./plan.ts";
import { judgeSpans } from "./spans/judge-spans.ts";
import { tracedSession } from "./spans/traced-session.ts";

const KINDS: ReadonlyMap<string, () => Kind> = new Map([
  ["AI SDK 6", () => aiSdkKind(aiSdk(), 6)],
  ["AI SDK 7", () => aiSdkKind(aiSdk({ lostText: "reset" }), 7)],
  ["AG-UI 0.0.59", () => agUiKind(agUi(), "0.0.59")],
  ["AG-UI 1.0", () => agUiKind(agUi(), "1.0")],
  ["createAgentClient()", () => nativeKind],
  ["ASP v2", () => plainKind(aspClient("settled"))],
  ["ASP v2, live", () => plainKind(aspClient("live"))],
  ["the coach", () => plainKind(coachClient("settled"))],
  ["the coach, live", () => plainKind(coachClient("live"))],
  ["the trainer", () => plainKind(trainerClient)],
  ["metrics", () => plainKind(metricsClient("settled"))],
  ["metrics, live", () => plainKind(metricsClient("live"))],
]);

/** The names of all kinds of clients. */
export const kindNames: readonly string[] = [...KINDS.keys()];

/** The names of judges that have no pages. */
export const SPANS = "spans";
export const DECISIONS = "decisions";

// A plan's session is the same each time, so that each kind of client has it once more.
const sessions = new Map<string, Promise<Made>>();

function sessionOf(plan: Plan): Promise<Made> {
  const name = JSON.stringify(plan);
  const known = sessions.get(name) ?? makeSession(plan);
  sessions.set(name, known);
  return known;
}

/** Judges random sessions. Rejects with the smallest plan that fails, and with its log. */
export async function judgeSessions(name: string, parameters: fc.Parameters<[Plan]>): Promise<void> {
  const kind = KINDS.get(name)?.() as Kind;
  const property = fc.asyncProperty(plans, async (plan) => {
    // The spans come from a session's own store.
    const traced = name === SPANS || name === DECISIONS ? await tracedSession(plan) : undefined;
    const made = traced ?? (await sessionOf(plan));
    const ofTraced = name === SPANS ? judgeSpans : judgeDecisions;
    const judged = traced === undefined ? judge(made, kind) : ofTraced(traced);
    await judged.catch((error: Error) => {
      throw new Error(`${error.message}\n${made.log.map(({ seq, type }) => `${seq} ${type}`).join(", ")}`);
    });
  });
  await fc.assert(property, parameters);
}
