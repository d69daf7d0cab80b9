import { type Ask, type Json, type JsonObject, jsonSchema, type StopReason, toJson } from "@pawl/core";
import { cutText } from "@pawl/core/tools";
import { fieldsOf } from "../base/text.ts";
import { MOST_CHOICES } from "../plan/check-plan.ts";
import type { Choice, PlanQuestion } from "../plan/plan.ts";
import { type ClarificationEvent, EVENTS } from "../record/events.ts";
import { makePlan } from "./planner.ts";
import { checkedChoices } from "./returned.ts";
import { stopRun } from "./stop.ts";
import { attempt, type Here, HOOK, type Work } from "./work.ts";

/** The kind of the clarifier's questions. */
export const CLARIFICATION = "clarification";

/** The most times that an only choice answers for the user. Then the user is asked. */
const MOST_ROUNDS = 5;

/**
 * Makes plans until one has no open question. `next` is the question to the user, or the end of the run;
 * absent if the run may continue. With `plans`, a missing plan is made.
 */
export async function clarified<Deps>(
  work: Work<Deps>,
  context: Here<Deps>["context"],
  plans: boolean,
): Promise<{ here: Here<Deps>; next?: { ask: Ask } | { stop: StopReason } }> {
  let here: Here<Deps> = { context, ...(await work.readRun(context)) };
  if (await storeAnswer(here)) here = { context, ...(await work.readRun(context)) };
  for (let round = 0; ; round += 1) {
    if (wantsPlan(here, plans)) {
      await makePlan(work, here);
      here = { context, ...(await work.readRun(context)) };
    }
    const { plan, strikes } = here.record;
    if (plan?.status === "blocked")
      return { here, next: await stopRun(work, here, { code: "blocked", message: plan.blocked ?? "" }) };
    if (plan?.status !== "needs_clarification" || plan.question === undefined) return { here };
    const { question } = plan;
    if (strikes >= work.attempts)
      return { here, next: await stopRun(work, here, { ...unclear(question, strikes), question }) };
    const choices = await choicesFor(work, here, question);
    const [only] = choices;
    if (!isSettledByChoice(here, question, choices) || only === undefined || round >= MOST_ROUNDS)
      return { here, next: { ask: askFor(question, choices, strikes + 1, work.attempts) } };
    await storeOnlyChoice(here, question, only);
    here = { context, ...(await work.readRun(context)) };
  }
}

/** Whether a plan must be made: there is no plan, or the user has answered its question, or has written. */
function wantsPlan({ record }: Here<never> | Here<unknown>, plans: boolean): boolean {
  const { plan, planned, clarifications, messages } = record;
  if (plan === undefined || planned === undefined) {
    return plans && messages.length > 0 && !record.failures.some(({ part }) => part === "plan");
  }
  if (plan.status !== "needs_clarification") return false;
  return (
    clarifications.some(({ status }) => status === "answered") ||
    messages.some(({ seq }) => seq > planned.seq)
  );
}

/** Stores the user's answer to the hook's last question. Returns whether there was one to store. */
async function storeAnswer<Deps>({ context, record }: Here<Deps>): Promise<boolean> {
  const asked = context.run.asked.findLast(({ question }) => question.by === HOOK);
  if (context.answer === undefined || asked?.answer === undefined) return false;
  if (record.clarifications.some(({ call_id }) => call_id === asked.callId)) return false;
  const { question, about, choices } = fieldsOf(asked.question.payload) as {
    question?: string;
    about?: string;
    choices?: Choice[];
  };
  const { choice: id, text = "" } = context.answer as { choice?: string; text?: string };
  const choice = choices?.find((one) => one.id === id);
  const data: ClarificationEvent = {
    run_id: context.runId,
    call_id: asked.callId,
    question: question ?? "",
    ...(about !== undefined && { about }),
    answer: [choice === undefined ? "" : labelOf(choice), text.trim()].filter((one) => one !== "").join(". "),
    ...(choice !== undefined && { choice }),
  };
  const key = `planning:${context.runId}:answered:${asked.callId}`;
  return await context.append({ type: EVENTS.clarification, data: toJson(data), key });
}

function labelOf({ label, detail }: Choice): string {
  return detail === undefined ? label : `${label} (${detail})`;
}

async function choicesFor<Deps>(
  work: Work<Deps>,
  here: Here<Deps>,
  question: PlanQuestion,
): Promise<readonly Choice[]> {
  const { choices } = work;
  const given =
    choices &&
    (await attempt(work, here, "choices", async (source) => checkedChoices(await choices(question, source))));
  const listed = given === undefined || given.length === 0 ? (question.choices ?? []) : given;
  return listed.slice(0, MOST_CHOICES);
}

/** Whether the only choice may answer for the user: there is exactly one, and the question is new. */
function isSettledByChoice(
  { record }: Here<never> | Here<unknown>,
  question: PlanQuestion,
  choices: readonly Choice[],
): boolean {
  const about = question.about ?? question.text;
  const before = record.clarifications.some((one) => (one.about ?? one.question) === about);
  return choices.length === 1 && !before;
}

async function storeOnlyChoice<Deps>(
  { context, record }: Here<Deps>,
  { text, about }: PlanQuestion,
  choice: Choice,
): Promise<void> {
  const data: ClarificationEvent = {
    ...{ run_id: context.runId, question: text, answer: labelOf(choice), choice },
    ...(about !== undefined && { about }),
  };
  const key = `planning:${context.runId}:only:${record.clarifications.length}`;
  await context.append({ type: EVENTS.clarification, data: toJson(data), key });
}

function askFor(question: PlanQuestion, choices: readonly Choice[], attempt: number, attempts: number): Ask {
  const { text, about } = question;
  const payload: Json = toJson({ question: text, about, choices, attempt, attempts });
  return { kind: CLARIFICATION, payload, answer: jsonSchema(answerJson(choices)) };
}

/** `{ choice }`, `{ text }` or both; `{ none: true }` if no choice is right and the user writes no text. */
function answerJson(choices: readonly Choice[]): JsonObject {
  const ids = choices.map(({ id }) => id);
  return {
    type: "object",
    properties: {
      ...(ids.length > 0 && { choice: { type: "string", enum: ids } }),
      text: { type: "string", minLength: 1, maxLength: 2_000 },
      none: { const: true },
    },
    minProperties: 1,
    additionalProperties: false,
  };
}

function unclear({ text, about }: PlanQuestion, times: number) {
  const what = about === undefined ? "what you need" : `what you mean by “${cutText(about, 100)}”`;
  const message = `I asked ${times === 1 ? "once" : `${times} times`} and still do not know ${what}. Please write again and include the answer to this: ${text}`;
  return { code: "clarification_failed" as const, message };
}
