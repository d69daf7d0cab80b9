import { Suspense } from "react";
import type { ToolPartProps } from "../base/seam.ts";
import { CARDS } from "./cards.tsx";
import { ToolStatus, useStatus } from "./tool-status.tsx";

/** What each tool does, as users see it. */
export const TOOL_NAMES: ReadonlyMap<string, string> = new Map([
  ["get_rank_benchmarks", "Compare with other players"],
  ["get_player_trends", "Look at your progress"],
  ["get_recent_sessions", "Find your last matches"],
  ["get_replay", "Read a replay"],
  ["analyze_boost", "Check your boost"],
  ["analyze_rotations", "Check your rotations"],
  ["save_coaching_note", "Write a note"],
  ["get_coaching_notes", "Read the notes"],
]);

/** A call of one of the coach's tools: its status, and its result as a card. */
export function Call({ part, live }: ToolPartProps) {
  const Result = CARDS.get(part.toolName);
  const status = useStatus({ part, live });
  return (
    <div className="rl-call" data-testid="rl-call" data-tool={part.toolName}>
      <ToolStatus part={part} live={live} name={TOOL_NAMES.get(part.toolName) ?? part.toolName} />
      {Result !== undefined && status === "done" && (
        <Suspense fallback={<div className="rl-coming" />}>
          <Result result={part.result} />
        </Suspense>
      )}
    </div>
  );
}
