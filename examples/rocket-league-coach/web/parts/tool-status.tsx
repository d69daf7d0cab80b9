import { useHeld } from "@pawl/client/react";
import type { ToolPartProps } from "../base/seam.ts";

/** The shortest time for which a running tool is shown, in milliseconds. */
const SHOWN_MS = 200;

/** What a call does, or how it ended. A call that never ended, in a run that has ended, was stopped. */
export type Status = "running" | "waiting" | "done" | "error" | "skipped" | "stopped";

/** Returns the status of a call. It is `running` for a moment at least, so that it does not flicker. */
export function useStatus({ part: { phase }, live }: ToolPartProps): Status {
  const busy = useHeld(live && phase === "running", SHOWN_MS);
  if (busy) return "running";
  return phase === "running" ? "stopped" : phase;
}

interface ToolStatusProps extends ToolPartProps {
  /** What the tool does, for a call without a status of its own. */
  name: string;
}

/** One line about a call: its tool's status text, or that it failed or was stopped. */
export function ToolStatus({ part, live, name }: ToolStatusProps) {
  const status = useStatus({ part, live });
  return (
    <p
      className={`chip chip-${status}`}
      role={status === "running" ? "status" : undefined}
      data-testid="rl-status"
      data-phase={status}
    >
      <span className="chip-mark" aria-hidden="true" />
      <span className="chip-words">{wordsFor(status, part.status, name)}</span>
    </p>
  );
}

function wordsFor(status: Status, text: string | undefined, name: string): string {
  if (status === "stopped") return `${name}: stopped`;
  if (status === "error") return `${name}: did not work`;
  if (status === "skipped") return `${name}: skipped`;
  return text ?? name;
}
