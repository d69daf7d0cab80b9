import { useCallback, useEffect, useState } from "react";
import type { CustomAgent } from "../base/agents.ts";
import type { SearchServer } from "../base/server.ts";

/** The agents that the person may use, as the server has last listed them. */
export interface Agents {
  /** `undefined` until the server has answered. */
  list: readonly CustomAgent[] | undefined;
  failed: boolean;
  /** Reads the list again. Resolves when it is shown. */
  read(): Promise<void>;
}

/** Loads the agents each time they are shown. */
export function useAgents(server: SearchServer, isShown: boolean): Agents {
  const [list, setList] = useState<readonly CustomAgent[]>();
  const [failed, setFailed] = useState(false);
  const read = useCallback(
    async (signal = new AbortController().signal) => {
      setFailed(false);
      const found = await server.agents(signal).catch(() => undefined);
      if (signal.aborted) return;
      if (found === undefined) setFailed(true);
      else setList(found);
    },
    [server],
  );
  useEffect(() => {
    if (!isShown) return;
    const control = new AbortController();
    void read(control.signal);
    return () => control.abort();
  }, [read, isShown]);
  return { list, failed, read: useCallback(() => read(), [read]) };
}
