import { hitRateOf, lasted, spendingsOf, sumOf, type TimelineRun } from "@pawl/core/inspect";
import { count, money, share, time } from "./words.ts";

/** Shows the totals of a session. */
export function Totals({ runs, now }: { runs: readonly TimelineRun[]; now: number }) {
  const { tokens, costUsd } = sumOf(runs.flatMap(spendingsOf));
  const workMs = runs.reduce((sum, run) => sum + run.workMs, 0);
  const waitMs = runs.reduce((sum, run) => sum + lasted(run.waits, now), 0);
  const sent = tokens.prompt + tokens.cached + tokens.cache_write;
  return (
    <dl className="totals" data-testid="totals">
      <Total name="Cost" value={money(costUsd)} />
      <Total name="Tokens in" value={count(sent)} />
      <Total name="Tokens out" value={count(tokens.completion)} />
      <Total name="From the cache" value={share(hitRateOf(tokens))} />
      <Total name="Working" value={time(workMs)} />
      <Total name="Waiting for you" value={time(waitMs)} />
    </dl>
  );
}

function Total({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
