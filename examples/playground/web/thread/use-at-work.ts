import type { AgentState } from "@pawl/client";
import { useHeld } from "@pawl/client/react";
import { useEffect, useRef, useState } from "react";
import { useFace } from "../face/face.ts";

/** The shortest time for which the status is shown, in milliseconds. */
const SHOWN_MS = 200;

/**
 * Returns the agent's text about its running tools; `undefined` if none is running. Also shows a tool that
 * ended before the page was rendered.
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
