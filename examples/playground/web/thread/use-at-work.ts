import type { AgentState } from "@pawl/client";
import { useHeld } from "@pawl/client/react";
import { useEffect, useRef, useState } from "react";
import { useFace } from "../face/face.ts";

/** The status is shown for at least this long, in milliseconds, so that it can be read. */
const SHOWN_MS = 200;

/**
 * Describes the running tools in the agent's words. It is derived from the calls, so it cannot get stuck. A
 * tool that ended before the next rendering is shown as well.
 */
export function useAtWork({
  messages,
  runningTools,
  run,
}: Pick<AgentState, "messages" | "runningTools" | "run">): string | undefined {
  const { atWork } = useFace();
  const last = messages.at(-1);
  const parts = run?.open === true && last?.role === "assistant" ? last.parts : [];
  const calls = parts.flatMap((part) =>
    part.type === "tool" && part.phase !== "waiting" ? [part.toolName] : [],
  );
  const [told, setTold] = useState(calls.length);
  useEffect(() => setTold(calls.length), [calls.length]);
  const words = atWork?.([...Object.values(runningTools), ...calls.slice(told)]);
  const latest = useRef(words);
  if (words !== undefined) latest.current = words;
  return useHeld(words !== undefined, SHOWN_MS) ? latest.current : undefined;
}
