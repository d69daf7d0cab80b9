import { useCallback, useEffect, useMemo, useState } from "react";
import type { IndexState, SearchServer } from "../base/server.ts";
import type { Searching } from "./searching.ts";

const UNKNOWN: IndexState = { status: "unknown", stage: "", done: 0, error: "" };

/** The time between two looks at the index, in milliseconds. */
const EVERY_MS = 400;
/** The same for a server that cannot be reached. */
const LATER_MS = 3_000;

/** Starts the index when the page opens, and follows it until it is ready. */
export function useIndex(server: SearchServer): Searching["index"] {
  const [lost, setLost] = useState(false);
  const [state, setState] = useState(UNKNOWN);
  const [round, setRound] = useState(0);
  // A change of `round` starts the index again.
  useEffect(() => {
    const control = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let retries = round > 0;
    const look = async (): Promise<void> => {
      try {
        let next = await server.index(control.signal);
        // A server that was restarted has none, also in the middle of a build.
        if (next.status === "none" || (next.status === "failed" && retries)) {
          retries = false;
          await server.startIndex();
          next = { ...next, status: "building", error: "" };
        }
        if (control.signal.aborted) return;
        setLost(false);
        setState((before) => (isSame(before, next) ? before : next));
        if (next.status === "building" || next.status === "none") timer = setTimeout(look, EVERY_MS);
      } catch {
        if (control.signal.aborted) return;
        setLost(true);
        // The conversation does not wait for a server that says nothing about the index.
        setState((before) => (before.status === "unknown" ? { ...before, status: "silent" } : before));
        timer = setTimeout(look, LATER_MS);
      }
    };
    void look();
    return () => {
      control.abort();
      clearTimeout(timer);
    };
  }, [server, round]);
  const again = useCallback(() => {
    setState((before) => ({ ...before, status: "building", error: "", done: 0, stage: "" }));
    setRound((before) => before + 1);
  }, []);
  return useMemo(() => ({ ...state, lost, again }), [state, lost, again]);
}

function isSame(a: IndexState, b: IndexState): boolean {
  return a.status === b.status && a.stage === b.stage && a.done === b.done && a.error === b.error;
}
