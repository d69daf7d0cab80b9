import type { PGlite } from "@electric-sql/pglite";
import type { ViewPart } from "@pawl/core/view";
import { coachData, type RecentSessions } from "../../src/index.ts";
import { bench, type Call } from "./bench.ts";

type ToolPart = Extract<ViewPart, { type: "tool" }>;

/** Makes a call of the coach's as a finished part of a message. */
export function partOf(toolName: string, more: Partial<ToolPart> = {}): ToolPart {
  const key = `call:${toolName}`;
  return { type: "tool", key, callId: toolName, toolName, phase: "done", arguments: {}, ...more };
}

/** Calls the coach's tools, one of each that shows something, and returns their results as parts. */
export async function realParts(db: PGlite, now: number): Promise<ToolPart[]> {
  const data = await coachData(db, { now: () => now });
  const ada = bench(data, "ada");
  const calls: Call[] = [
    ["get_recent_sessions", {}],
    ["get_rank_benchmarks", { playlist: "doubles" }],
    [
      "get_player_trends",
      { playlist: "doubles", metrics: ["mmr", "goals", "percent_zero_boost", "average_speed"] },
    ],
    ["analyze_boost", { playlist: "doubles" }],
    ["analyze_rotations", { playlist: "doubles" }],
    ["save_coaching_note", { topic: "boost", text: "Take the small pads on the way back." }],
  ];
  const outcomes = await ada.calls(...calls);
  const { sessions } = outcomes[0]!.result as RecentSessions;
  const replayId = sessions[0]?.replays[0]?.replay_id;
  const later: Call[] = [
    ["get_replay", { replay_id: replayId }],
    ["get_coaching_notes", {}],
  ];
  const others = await ada.calls(...later);
  const all = [...calls, ...later];
  return [...outcomes, ...others].map(({ result, isError }, at) =>
    partOf(all[at]?.[0] ?? "", {
      phase: isError ? "error" : "done",
      result: result as never,
      status: "Ready",
    }),
  );
}
