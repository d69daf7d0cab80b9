import type { TimelineCall } from "./calls.ts";
import type { OtherSpending } from "./spending.ts";
import type { TimelineAttempt, TimelineRun } from "./timeline.ts";

/**
 * Lists the spendings of a run: one per attempt, one per tool call, and one per other model call, which has
 * `by` and `model`.
 *
 * @example
 * ```ts
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { spendingsOf, timelineOf } from "@pawl/core/inspect";
 * import { scriptedModel } from "@pawl/testing";
 *
 * const greeter = agent({
 *   name: "greeter",
 *   model: scriptedModel([{ text: "Hello.", usage: { output_tokens: 12 } }]),
 *   instructions: "Be kind.",
 * });
 * const store = memoryStore();
 * const pawl = runtime({ agents: [greeter], store });
 * const { sessionId } = await pawl.run("greeter", { userId: "ada", input: "Hi" }).result;
 *
 * const [run] = timelineOf(await Array.fromAsync(store.read(sessionId)));
 * if (run) console.log(spendingsOf(run).map(({ tokens }) => tokens.completion)); // [ 12 ]
 * ```
 */
export function spendingsOf({
  turns,
  others,
}: TimelineRun): (TimelineAttempt | TimelineCall | OtherSpending)[] {
  return [...turns.flatMap(({ attempts, calls }) => [...attempts, ...calls]), ...others];
}
