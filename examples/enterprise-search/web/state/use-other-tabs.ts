import { useCallback, useEffect, useRef } from "react";

/** The channel on which a tab reports that the visitor has chosen another person. */
const CHANNEL = "pawl.search.person";

/**
 * Calls `read` when another tab may have chosen another person: when it reports so, and when the user comes
 * back to this tab. Returns the function that reports to the others.
 */
export function useOtherTabs(read: () => Promise<void>): () => void {
  const channel = useRef<BroadcastChannel | undefined>(undefined);
  useEffect(() => {
    const own = new BroadcastChannel(CHANNEL);
    channel.current = own;
    const onReturn = (): void => {
      if (document.visibilityState === "visible") void read();
    };
    own.addEventListener("message", () => void read());
    addEventListener("focus", onReturn);
    document.addEventListener("visibilitychange", onReturn);
    return () => {
      own.close();
      channel.current = undefined;
      removeEventListener("focus", onReturn);
      document.removeEventListener("visibilitychange", onReturn);
    };
  }, [read]);
  return useCallback(() => channel.current?.postMessage("changed"), []);
}
