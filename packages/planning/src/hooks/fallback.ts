import { answering, type TurnChange } from "@pawl/core";
import { planProgress } from "../plan/plan.ts";
import type { RunRecord } from "../record/record.ts";
import { RETRIEVED, RETRIEVED_TAG } from "../record/tags.ts";
import { checkedText } from "./returned.ts";
import { attempt, type Here, type Work } from "./work.ts";

/**
 * Prepares the last turn of a run that has reached a limit: calls `retrieve` once, appends its data and how
 * far the plan has come, and answers with `write` if there is one.
 */
export async function landed<Deps>(work: Work<Deps>, here: Here<Deps>): Promise<TurnChange | undefined> {
  const { fallback } = work;
  const { context } = here;
  const { landing } = context.run;
  if (fallback === undefined || landing === undefined) return undefined;
  const remaining = context.remaining();
  const limit = { stop: landing.stop, remaining };
  // If `retrieve` took all remaining time, there would be no time for the answer.
  const inTime = { ...work, timeoutMs: Math.min(work.timeoutMs, Math.max(1, remaining.wallClockMs / 2)) };
  const search = () =>
    attempt(inTime, here, "retrieve", async (source) =>
      checkedText("fallback.retrieve", await fallback.retrieve({ ...source, ...limit })),
    );
  const found = here.record.retrieved ?? (await search());
  if (typeof found !== "string") return undefined;
  const key = `planning:${context.runId}:retrieved`;
  await context.append({
    type: "knowledge",
    key,
    data: { source: RETRIEVED, data: found, tag: RETRIEVED_TAG },
  });
  const text = `${stateText(here.record)} Answer from the last text in the tag ${RETRIEVED_TAG} and from the results above, and say what is missing.`;
  await context.append({ type: "note", key: `${key}:note`, data: { text } });
  const { write } = fallback;
  const written =
    write && (await attempt(work, here, "retrieve", (source) => write(found, { ...source, ...limit })));
  return typeof written === "string" ? { model: answering(written) } : undefined;
}

/** Says how far the plan has come, for the last answer. */
function stateText({ plan }: RunRecord): string {
  if (plan === undefined) return "There was no plan.";
  const { done, total } = planProgress(plan);
  const left = plan.tasks.filter(({ status }) => status !== "done").map(({ title }) => title);
  const rest = left.length === 0 ? "" : ` Not done: ${left.join("; ")}.`;
  return `${done} of ${total} tasks of the plan are done.${rest}`;
}
