import { useEffect, useRef } from "react";
import { fieldsOf, type ToolPartProps, textIn } from "../base/seam.ts";
import { useCoaching } from "../sessions/coach-frame.tsx";
import { keepDraft } from "./draft.ts";
import { type Rated, ratedIn } from "./pulse.ts";

/** Shows an answered or closed pulse check: its ratings and the earlier ones. */
export function PulseResult({ part }: ToolPartProps) {
  const { answered, isPast, sessionId } = useCoaching();
  const hasWaited = useRef(false);
  useEffect(() => {
    if (part.phase === "waiting") hasWaited.current = true;
  }, [part.phase]);
  const isOver = part.phase !== "running" && part.phase !== "waiting";
  // The check is closed, so its draft is no longer needed.
  useEffect(() => {
    if (isOver) keepDraft(`${sessionId}/${part.callId}`, {});
  }, [isOver, sessionId, part.callId]);
  if (part.phase !== "done" && fieldsOf(part.result).answered !== false) return null;
  const rated = ratedIn(part.result);
  const context = textIn(fieldsOf(part.arguments).context);
  const isElsewhere = hasWaited.current && !isPast && !answered.has(part.callId);
  const isGiven = rated !== undefined || fieldsOf(part.result).skipped === true;
  return (
    <section className="pulse-result" data-testid="pulse-result" aria-label="Pulse check">
      {context !== undefined && <p className="question">{context}</p>}
      {rated === undefined ? (
        <p className="options-hint">{isGiven ? "You skipped this one." : "You left this one open."}</p>
      ) : (
        <ul>
          {rated.map((one) => (
            <Line key={one.id} {...one} />
          ))}
        </ul>
      )}
      {isElsewhere && isGiven && (
        <p className="options-hint">Answered on another device or in another tab.</p>
      )}
    </section>
  );
}

function Line({ label, before, after }: Rated) {
  const way = before === undefined || before === after ? "same" : after > before ? "up" : "down";
  return (
    <li className={`pulse-line pulse-${way}`}>
      <span className="pulse-name">{label}</span>
      <span className="pulse-meter" aria-hidden="true">
        {[1, 2, 3, 4, 5].map((step) => (
          <i key={step} className={step <= after ? "pulse-dot pulse-dot-on" : "pulse-dot"} />
        ))}
      </span>
      <span className="pulse-change">
        {before === undefined ? (
          <>
            <span className="unseen">is at </span>
            {after}
          </>
        ) : (
          <>
            <span className="unseen">was at </span>
            {before}
            <span aria-hidden="true"> → </span>
            <span className="unseen">, is at </span>
            <b>{after}</b>
          </>
        )}
      </span>
    </li>
  );
}
