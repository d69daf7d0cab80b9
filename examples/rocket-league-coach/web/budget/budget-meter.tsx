import { numberOf } from "../base/words.ts";
import type { Budget } from "./use-budget.ts";

/** The share of a budget below which its rest counts as little. */
const LITTLE = 0.1;

export interface BudgetMeterProps extends Budget {
  /** An estimate of tokens that were written and not charged yet. They fill the reserved part. Default: 0. */
  written?: number;
  /**
   * Whether an answer is being written. What is set aside for it counts as left then, because the rest comes
   * back. Default: no.
   */
  writing?: boolean;
  /** Shows only the bar and what is left. */
  compact?: boolean;
}

/** Shows a token budget: what is used, what is set aside for runs in progress, and what is left. */
export function BudgetMeter(props: BudgetMeterProps) {
  const { used, reserved, limit, preview = false, written = 0, writing = false, compact = false } = props;
  // Written tokens come out of the reserved part first.
  const now = { used: used + written, reserved: Math.max(0, reserved - written) };
  const left = Math.max(0, limit - now.used - (writing ? 0 : now.reserved));
  const free = limit > 0 ? undefined : wordsOfPreview(preview, writing);
  const shares = {
    used: free === undefined ? shareOf(now.used, limit) : 0,
    reserved: preview ? 0 : shareOf(now.reserved, limit),
  };
  const isLittle = left < limit * LITTLE;
  const state = `${isLittle ? "rl-budget-little" : ""} ${compact ? "rl-budget-compact" : ""}`;
  return (
    <div className={`rl-budget ${state}`} data-testid="rl-budget" data-writing={writing}>
      <meter
        className="unseen"
        aria-label="Token budget"
        min={0}
        max={Math.max(1, limit)}
        value={Math.min(limit, used)}
        aria-valuetext={free ?? inWords({ used, reserved, limit })}
      />
      <div className="rl-budget-bar" aria-hidden="true">
        <span className="rl-budget-used" style={{ width: `${shares.used}%` }} data-testid="rl-budget-used" />
        <span
          className="rl-budget-reserved"
          style={{ width: `${Math.min(shares.reserved, 100 - shares.used)}%` }}
        />
      </div>
      <p className="rl-budget-left" aria-hidden="true">
        {free ?? wordsOfRest(left, compact)}
      </p>
      {!compact && free === undefined && <Numbers {...now} limit={limit} writing={writing} />}
    </div>
  );
}

/** Describes what a user without a budget has. The preview of a running answer is taken already. */
function wordsOfPreview(preview: boolean, writing: boolean): string | undefined {
  if (preview) return "One free answer";
  return writing ? "Your free answer" : undefined;
}

function wordsOfRest(left: number, compact: boolean): string {
  if (compact) return `${short(left)} left`;
  return left === 0 ? "No tokens left" : `${numberOf(left)} tokens left`;
}

function Numbers({ used, reserved, limit, writing }: Budget & { writing: boolean }) {
  const rows: [string, number][] = [
    ["Used", used],
    [writing ? "Set aside for this answer" : "Set aside", reserved],
    ["Budget", limit],
  ];
  return (
    <dl className="rl-budget-numbers">
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{numberOf(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

// Screen readers get what was charged: an estimate that changes many times a second would be read aloud.
function inWords({ used, reserved, limit }: Budget): string {
  const left = Math.max(0, limit - used - reserved);
  const aside = reserved === 0 ? "" : `, ${numberOf(reserved)} set aside`;
  return `${numberOf(used)} of ${numberOf(limit)} tokens used${aside}, ${numberOf(left)} left`;
}

function shareOf(value: number, limit: number): number {
  return limit <= 0 ? 100 : Math.min(100, (100 * value) / limit);
}

/** Shortens a number, e.g. `588k` and `1M`: a small m would read as minutes. */
function short(value: number): string {
  const text = value.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 });
  return text.replace("K", "k");
}
