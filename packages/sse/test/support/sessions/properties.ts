import fc from "fast-check";
import { agUi, aiSdk } from "../../../src/index.ts";
import { agUiKind, aiSdkKind, judge, type Kind } from "./judge.ts";
import { type Made, makeSession } from "./made.ts";
import { type Plan, plans } from "./plan.ts";

const KINDS: ReadonlyMap<string, () => Kind> = new Map([
  ["AI SDK 6", () => aiSdkKind(aiSdk(), 6)],
  ["AI SDK 7", () => aiSdkKind(aiSdk({ lostText: "reset" }), 7)],
  ["AG-UI 0.0.59", () => agUiKind(agUi(), "0.0.59")],
  ["AG-UI 1.0", () => agUiKind(agUi(), "1.0")],
]);

/** The names of all kinds of clients. */
export const kindNames: readonly string[] = [...KINDS.keys()];

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
    const made = await sessionOf(plan);
    await judge(made, kind).catch((error: Error) => {
      throw new Error(`${error.message}\n${made.log.map(({ seq, type }) => `${seq} ${type}`).join(", ")}`);
    });
  });
  await fc.assert(property, parameters);
}
