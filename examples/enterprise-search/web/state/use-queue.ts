import type { UseAgent } from "@pawl/client/react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { fieldsOf, listOf, textOf } from "../base/read.ts";
import type { Queued } from "./searching.ts";

/** Where waiting messages survive a reload of the page. */
const KEPT = "pawl.search.waiting";

interface Waiting {
  text: string;
  /** The conversation that it belongs to; `""` for a new one. */
  sessionId: string;
}

function kept(): readonly Waiting[] {
  try {
    return listOf(JSON.parse(sessionStorage.getItem(KEPT) ?? "[]")).flatMap((one) => {
      const fields = fieldsOf(one);
      const text = textOf(fields.get("text"));
      return text === "" ? [] : [{ text, sessionId: textOf(fields.get("sessionId")) }];
    });
  } catch {
    return [];
  }
}

/**
 * Keeps the messages that were sent before the index is ready. Sends them then in their order, each once the
 * run before it has ended. `say` sends or keeps a message.
 */
export function useQueue(
  waits: boolean,
  { sessionId, phase, connection, messages, send }: UseAgent,
): { queued: Queued; say(text: string): Promise<boolean> } {
  const [waiting, keep] = useKept();
  const own = useMemo(
    () => waiting.filter((one) => one.sessionId === (sessionId ?? "")),
    [waiting, sessionId],
  );
  const [isSending, setIsSending] = useState(false);
  const begins = useRef<string | undefined>(undefined);
  // Sent earlier, a message would cancel the questions of an opened conversation.
  const isOpen = sessionId === undefined || connection === "open";
  const isFree = !waits && !isSending && isOpen && phase === "idle";
  const [first] = own;
  useEffect(() => {
    if (!isFree || first === undefined) return;
    const timer = setTimeout(() => {
      if (sessionId === undefined) begins.current = first.text;
      keep((all) => all.filter((one) => one !== first));
      setIsSending(true);
      void send(first.text).finally(() => setIsSending(false));
    });
    return () => clearTimeout(timer);
  }, [isFree, first, sessionId, keep, send]);
  const opening = messages[0]?.text;
  // The rest belongs to the conversation that the first message has begun.
  useEffect(() => {
    if (sessionId === undefined || begins.current === undefined) return;
    const isItsOwn = begins.current === opening;
    begins.current = undefined;
    if (isItsOwn) keep((all) => all.map((one) => (one.sessionId === "" ? { ...one, sessionId } : one)));
  }, [sessionId, opening, keep]);
  const say = useCallback(
    async (text: string) => {
      if (!waits) return await send(text);
      keep((all) => [...all, { text, sessionId: sessionId ?? "" }]);
      return true;
    },
    [waits, send, keep, sessionId],
  );
  const waitFor = waits ? "index" : phase === "error" ? "user" : "answer";
  const queued = useMemo(
    (): Queued => ({
      texts: own.map(({ text }) => text),
      waitFor,
      cancel: (at) => keep((all) => all.filter((one) => one !== own[at])),
    }),
    [own, waitFor, keep],
  );
  return { queued, say };
}

/** The waiting messages of all conversations of this tab. */
function useKept() {
  const [waiting, setWaiting] = useState(kept);
  const latest = useRef(waiting);
  const keep = useCallback((change: (all: readonly Waiting[]) => readonly Waiting[]) => {
    latest.current = change(latest.current);
    setWaiting(latest.current);
    try {
      if (latest.current.length === 0) sessionStorage.removeItem(KEPT);
      else sessionStorage.setItem(KEPT, JSON.stringify(latest.current));
    } catch {
      // Without storage, a message waits as long as the page is open.
    }
  }, []);
  return [waiting, keep] as const;
}
