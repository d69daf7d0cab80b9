import { useEffect, useRef, useState } from "react";
import type { Tray } from "../files/use-tray.ts";

/**
 * Returns a function that calls `send` as soon as no file is being checked. If a file is refused in the
 * meantime, nothing is sent: the user may want to choose another one.
 */
export function useAfterChecks(tray: Tray | undefined, send: () => void): () => void {
  const [waits, setWaits] = useState(false);
  const latest = useRef(send);
  latest.current = send;
  const checking = tray?.checking === true;
  const isRefused = (tray?.refused.length ?? 0) > 0;
  useEffect(() => {
    if (!waits || checking) return;
    setWaits(false);
    if (!isRefused) latest.current();
  }, [waits, checking, isRefused]);
  return () => (checking ? setWaits(true) : send());
}
