import { useCallback, useEffect, useState } from "react";
import type { OpenedDocument, SearchServer } from "../base/server.ts";
import type { OpenSource } from "../state/searching.ts";

export type DocumentState =
  | { status: "loading" | "not_found" | "failed" }
  | { status: "ok"; document: OpenedDocument; loadingMore: boolean };

/** Reads a source for the current person, who is read again when another one is chosen. */
export function useDocument(server: SearchServer, { id, words }: OpenSource, email: string | undefined) {
  const [state, setState] = useState<DocumentState>({ status: "loading" });
  const [round, setRound] = useState(0);
  // Another person may see other documents. A change of `round` reads again.
  useEffect(() => {
    const control = new AbortController();
    setState({ status: "loading" });
    server.open({ id, words }, control.signal).then(
      (document) =>
        setState(
          document === undefined ? { status: "not_found" } : { status: "ok", document, loadingMore: false },
        ),
      () => !control.signal.aborted && setState({ status: "failed" }),
    );
    return () => control.abort();
  }, [server, id, words, email, round]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  const more = useCallback(async () => {
    if (state.status !== "ok" || state.loadingMore) return;
    const { document } = state;
    const start = document.start + document.text.length;
    setState({ ...state, loadingMore: true });
    const next = await server.open({ id, words, start }, new AbortController().signal).catch(() => undefined);
    setState((now) => {
      if (now.status !== "ok" || now.document !== document) return now;
      // A server that cannot begin elsewhere answers with the beginning.
      const text = next !== undefined && next.start === start ? document.text + next.text : document.text;
      return { status: "ok", document: { ...document, text }, loadingMore: false };
    });
  }, [server, id, words, state]);
  return { state, again, more };
}
