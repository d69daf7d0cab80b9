import { useHeld } from "@pawl/client/react";
import type { ToolPartProps } from "../base/seam.ts";
import { toolName } from "../base/sources.ts";
import { isPlanned, planOf } from "../runs/plan.ts";
import { useSearching } from "../state/searching.ts";

/** The shortest time for which a running call is shown, in milliseconds. */
const SHOWN_MS = 200;

/** One line about a call. Calls that do a task of the plan are shown there, and need none. */
export function CallLine({ part, live }: ToolPartProps) {
  const { runs } = useSearching();
  // The message may be a moment ahead of the events. Then the call belongs to the last run.
  const run =
    runs.find(({ record }) => record.calls.some(({ callId }) => callId === part.callId)) ?? runs.at(-1);
  const call = run?.record.calls.find(({ callId }) => callId === part.callId);
  const plan = run && planOf(run);
  const isBusy = useHeld(live && part.phase === "running", SHOWN_MS);
  const isSkipped = call?.status === "skipped";
  if (run === undefined || (plan !== undefined && !isSkipped && isPlanned(plan, part))) return null;
  const phase = isBusy ? "running" : part.phase === "running" ? "stopped" : part.phase;
  const name = toolName(part.toolName);
  return (
    <p className={`chip chip-${isSkipped ? "stopped" : phase}`} data-testid="es-line" data-phase={phase}>
      <span className="chip-mark" aria-hidden="true" />
      <span className="chip-words">
        {isSkipped ? `${name}: skipped` : wordsFor(phase, part.status, name)}
      </span>
    </p>
  );
}

function wordsFor(phase: string, status: string | undefined, name: string): string {
  if (phase === "stopped") return `${name}: stopped`;
  if (phase === "error") return `${name}: did not work`;
  return status ?? name;
}
