import { useEffect, useRef } from "react";

const REASONS = ["no equipment", "hurts", "something different"];

interface SwapReasonsProps {
  name: string;
  busy: boolean;
  onPick: (reason: string) => void;
}

/** Asks why an exercise should be replaced; the agent chooses another one accordingly. */
export function SwapReasons({ name, busy, onPick }: SwapReasonsProps) {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus({ preventScroll: true }), []);
  return (
    <fieldset className="swap" disabled={busy}>
      <legend className="unseen">Why swap {name}?</legend>
      {REASONS.map((reason, at) => (
        <button
          key={reason}
          ref={at === 0 ? first : undefined}
          type="button"
          className="small-pill"
          data-testid="swap-reason"
          onClick={() => onPick(reason)}
        >
          {reason}
        </button>
      ))}
    </fieldset>
  );
}
