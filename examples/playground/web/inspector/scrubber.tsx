import { summaryOf } from "@pawl/core/inspect";
import { useEffect, useRef } from "react";
import type { Replay } from "./use-replay.ts";

/**
 * Steps through the log. Replaces the message box during a replay, because an earlier state accepts no
 * messages.
 */
export function Scrubber({ replay }: { replay: Replay }) {
  const { at = 0, length, event, goTo } = replay;
  const range = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Focuses after a closing panel has returned the focus to its button.
    const timer = setTimeout(() => range.current?.focus());
    return () => clearTimeout(timer);
  }, []);
  return (
    <section
      className="composer scrubber"
      aria-label="Replay"
      data-testid="scrubber"
      onKeyDown={({ key }) => {
        if (key === "Escape") goTo(undefined);
      }}
    >
      <p className="scrubber-words">
        <span>
          Event {at} of {length}
        </span>
        {event !== undefined && (
          <span className="scrubber-event">
            {event.type} {summaryOf(event)}
          </span>
        )}
      </p>
      <div className="scrubber-row">
        <Step label="One event back" path="M15 6l-6 6 6 6" disabled={at <= 1} onStep={() => goTo(at - 1)} />
        <input
          ref={range}
          type="range"
          aria-label="Event"
          aria-valuetext={`${at} of ${length}: ${event?.type ?? ""}`}
          min={1}
          max={length}
          value={at}
          onChange={(change) => goTo(Number(change.target.value))}
          data-testid="scrubber-range"
        />
        <Step
          label="One event forward"
          path="M9 6l6 6-6 6"
          disabled={at >= length}
          onStep={() => goTo(at + 1)}
        />
        <button
          type="button"
          className="text-button"
          onClick={() => goTo(undefined)}
          data-testid="replay-end"
        >
          Back to now
        </button>
      </div>
    </section>
  );
}

interface StepProps {
  label: string;
  path: string;
  disabled: boolean;
  onStep: () => void;
}

function Step({ label, path, disabled, onStep }: StepProps) {
  return (
    <button type="button" className="icon-button" aria-label={label} disabled={disabled} onClick={onStep}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={path} />
      </svg>
    </button>
  );
}
