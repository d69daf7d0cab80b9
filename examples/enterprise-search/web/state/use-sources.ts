import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { PageControls } from "../base/seam.ts";
import type { FoundDocument } from "../runs/citations.ts";
import type { OpenSource, SourceState } from "./searching.ts";

/**
 * Keeps the opened sources of a conversation. They are shown in the agent's panel. `leave` shows the rest of
 * the panel, for the element that gets the focus back.
 */
export function useSources(
  found: ReadonlyMap<string, FoundDocument>,
  sessionId: string | undefined,
  { panelShown, showPanel }: PageControls,
): SourceState & { leave(element: HTMLElement | undefined): void } {
  const [opened, setOpened] = useState<readonly OpenSource[]>([]);
  const from = useRef<HTMLElement | undefined>(undefined);
  const wasShown = useRef(panelShown);
  const isOwn = useRef(false);
  const latest = useRef({ found, panelShown, showPanel });
  latest.current = { found, panelShown, showPanel };
  // A closed panel closes its source. A source of another conversation is closed, too.
  useEffect(() => {
    if (wasShown.current && !panelShown) {
      setOpened([]);
      giveBack(from);
    }
    wasShown.current = panelShown;
  }, [panelShown]);
  const before = useRef(sessionId);
  useEffect(() => {
    if (before.current !== undefined && before.current !== sessionId) setOpened([]);
    before.current = sessionId;
  }, [sessionId]);
  const open = useCallback((id: string, element?: HTMLElement) => {
    from.current = element;
    if (!latest.current.panelShown) isOwn.current = true;
    setOpened([{ id, words: latest.current.found.get(id)?.words ?? [] }]);
    latest.current.showPanel(true);
  }, []);
  const follow = useCallback((id: string) => {
    setOpened((all) => [
      ...all,
      { id, words: latest.current.found.get(id)?.words ?? all.at(-1)?.words ?? [] },
    ]);
  }, []);
  const back = useCallback(() => setOpened((all) => (all.length > 1 ? all.slice(0, -1) : all)), []);
  const close = useCallback(() => {
    setOpened([]);
    // A panel that was opened for the source closes with it.
    if (isOwn.current) latest.current.showPanel(false);
    else giveBack(from);
    isOwn.current = false;
  }, []);
  const leave = useCallback((element: HTMLElement | undefined) => {
    from.current = element;
    isOwn.current = false;
    setOpened([]);
  }, []);
  return useMemo(
    () => ({ current: opened.at(-1), canGoBack: opened.length > 1, open, follow, back, close, leave }),
    [opened, open, follow, back, close, leave],
  );
}

/** Returns the focus to where the panel was opened from. Nothing covers that any more. */
function giveBack(from: { current: HTMLElement | undefined }): void {
  from.current?.focus({ preventScroll: true });
  from.current = undefined;
}
