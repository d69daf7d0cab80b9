import { useCallback, useEffect, useMemo, useState } from "react";
import { fieldsOf, textOf } from "../base/read.ts";
import type { Searching } from "./searching.ts";

/** Where a waiting message survives a reload of the page. */
const KEPT = "pawl.search.waiting";

interface Waiting {
  text: string;
  /** The conversation that it belongs to; `""` for a new one. */
  sessionId: string;
}

function kept(): Waiting | undefined {
  try {
    const fields = fieldsOf(JSON.parse(sessionStorage.getItem(KEPT) ?? "null"));
    const text = textOf(fields.get("text"));
    return text === "" ? undefined : { text, sessionId: textOf(fields.get("sessionId")) };
  } catch {
    return undefined;
  }
}

/**
 * Keeps a message that was sent before the index is ready, and sends it then. A second message is added to
 * the first. `say` sends or keeps a message.
 */
export function useQueue(
  waits: boolean,
  sessionId: string | undefined,
  send: (text: string) => Promise<boolean>,
): { queued: Searching["queued"]; say(text: string): Promise<boolean> } {
  const [waiting, setWaiting] = useState(kept);
  const own = waiting?.sessionId === (sessionId ?? "") ? waiting.text : undefined;
  const keep = useCallback((next: Waiting | undefined) => {
    setWaiting(next);
    try {
      if (next === undefined) sessionStorage.removeItem(KEPT);
      else sessionStorage.setItem(KEPT, JSON.stringify(next));
    } catch {
      // Without storage, a message waits as long as the page is open.
    }
  }, []);
  useEffect(() => {
    if (waits || own === undefined) return;
    const timer = setTimeout(() => {
      keep(undefined);
      void send(own);
    });
    return () => clearTimeout(timer);
  }, [waits, own, keep, send]);
  const say = useCallback(
    async (message: string) => {
      if (!waits) return await send(message);
      const text = own === undefined ? message : `${own}\n${message}`;
      keep({ text, sessionId: sessionId ?? "" });
      return true;
    },
    [waits, send, keep, own, sessionId],
  );
  const queued = useMemo(() => ({ text: own, cancel: () => keep(undefined) }), [own, keep]);
  return { queued, say };
}
