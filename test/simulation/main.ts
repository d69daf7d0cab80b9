// A program that runs seeds: `main.js <job>`, a JSON. It prints one line of JSON for each seed.
import { diceFor } from "./dice.ts";
import type { Plan } from "./plan.ts";
import { simulate } from "./simulate.ts";
import { newTimeline, replaceGlobals, type Timeline } from "./timeline.ts";

export interface Job {
  readonly seeds: readonly number[];
  /** Whether to stop after the first seed with a fault. */
  readonly untilFault?: boolean;
  /** What to change in the plan of each seed. */
  readonly changes?: Partial<Plan>;
  /** How many lines of what has happened to print for a seed with a fault. */
  readonly lines?: number;
}

let timeline: Timeline = newTimeline(0);
let dice = diceFor(0, "globals");
replaceGlobals(
  () => timeline,
  () => dice.next(),
);

const job = JSON.parse(process.argv[2] ?? "{}") as Job;
for (const seed of job.seeds) {
  dice = diceFor(seed, "globals");
  const { trace, ...outcome } = await simulate(
    seed,
    (begun) => {
      timeline = begun;
    },
    job.changes,
  );
  const lines = trace.slice(-(job.lines ?? 0));
  process.stdout.write(`${JSON.stringify({ ...outcome, trace: job.lines ? lines : [] })}\n`);
  if (outcome.faults.length > 0 && job.untilFault) break;
}
