import { fieldsOf, type ToolPartProps, textIn } from "../base/seam.ts";
import { labelOf } from "../sessions/kinds.ts";

/** Shows the beginning of an arc, as a line across the conversation. */
export function EnteredArc({ part }: ToolPartProps) {
  const arc = textIn(fieldsOf(part.result).arc);
  return part.phase === "done" && arc !== undefined ? <Divider>{labelOf(arc)}</Divider> : null;
}

/**
 * Shows the end of an arc or of the session. Shows nothing if the call failed: the coach's text reports that.
 */
export function Completed({ part }: ToolPartProps) {
  const { completed, success, next_checkin_due } = fieldsOf(part.result);
  const done = textIn(completed);
  if (part.phase !== "done" || success !== true || done === undefined) return null;
  if (done !== "session") return <Divider>{`${labelOf(done)}: complete`}</Divider>;
  const due = textIn(next_checkin_due);
  return (
    <Divider>{`Session complete${due === undefined ? "" : ` · next check-in ${dayWords(due)}`}`}</Divider>
  );
}

function Divider({ children }: { children: string }) {
  return (
    <p className="notice" data-testid="session-mark">
      {children}
    </p>
  );
}

/** Formats a day such as `2026-11-28` in the reader's language. */
function dayWords(day: string): string {
  const date = new Date(`${day}T12:00:00`);
  return Number.isNaN(date.getTime())
    ? day
    : date.toLocaleDateString([], { weekday: "short", day: "numeric", month: "short" });
}
