import { useHeld } from "@pawl/client/react";
import type { Json } from "@pawl/core";
import { useFace } from "../face/face.ts";
import type { ToolPart } from "../face/tool-part.ts";

/** The shortest time for which a running tool is shown, in milliseconds. */
const SHOWN_MS = 200;

/** How the names of Pawl's tools for a hand-over begin. */
const TRANSFER = "transfer_to_";

/**
 * Shows what a tool does or did, in a few words. `live`: the run is open, so a running call may still end.
 */
export function ToolChip({ part, live }: { part: ToolPart; live: boolean }) {
  const { toolNames } = useFace();
  const busy = useHeld(live && part.phase === "running", SHOWN_MS, live && part.phase !== "waiting");
  const phase = busy ? "running" : settled(part.phase);
  return (
    <p className={`chip chip-${phase}`} data-testid="tool-chip" data-phase={phase} data-tool={part.toolName}>
      <span className="chip-mark" aria-hidden="true" />
      <span className="chip-words">
        {wordsFor(part, phase, toolNames.get(part.toolName) ?? nameOf(part.toolName))}
        {part.input !== undefined && " (its input was changed)"}
      </span>
      {phase === "done" && <ChipDetail result={part.result} />}
    </p>
  );
}

/** Returns the phase to show. A call that never ended, in a run that has ended, was stopped. */
function settled(phase: ToolPart["phase"]): ToolPart["phase"] | "stopped" {
  return phase === "running" ? "stopped" : phase;
}

/** Returns the name of a tool that its agent's face does not name. */
function nameOf(tool: string): string {
  return tool.startsWith(TRANSFER) ? `Hand over to ${tool.slice(TRANSFER.length)}` : tool;
}

function wordsFor({ status }: ToolPart, phase: ReturnType<typeof settled>, name: string): string {
  if (phase === "stopped") return `${name}: stopped`;
  if (phase === "error") return `${name}: did not work`;
  if (phase === "skipped") return `${name}: skipped`;
  if (phase === "running" && status === "Saved") return "Saving…";
  return status ?? name;
}

/** Shows the path of a saved file, if the result has one. */
function ChipDetail({ result }: { result: Json | undefined }) {
  const path =
    typeof result === "object" && result !== null && !Array.isArray(result) ? result.path : undefined;
  return typeof path === "string" ? <code className="chip-detail">{path}</code> : null;
}
