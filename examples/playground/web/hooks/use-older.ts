import type { UseAgent } from "@pawl/client/react";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** How far above the box older messages begin to load, in pixels. */
const AHEAD = 300;

export interface Older {
  /** The row above the first message. Older messages load when the reader comes near it. */
  row: RefObject<HTMLDivElement | null>;
  load(): void;
  /** Whether the last attempt has failed. */
  failed: boolean;
}

/**
 * Loads older messages when the reader scrolls up, and keeps the place of what is on the screen. The children
 * of `list` are the messages.
 */
export function useOlder(
  { hasOlder, loadOlder, messages }: Pick<UseAgent, "hasOlder" | "loadOlder" | "messages">,
  box: RefObject<HTMLElement | null>,
  list: RefObject<HTMLElement | null>,
): Older {
  const row = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  const load = useCallback(() => {
    void loadOlder().then((loaded) => setFailed(!loaded));
  }, [loadOlder]);
  const first = messages[0]?.id;
  // Watches anew after each page, because a row that is still in view reports no change.
  useEffect(() => {
    if (!hasOlder || failed || row.current === null) return;
    const seen = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && load(), {
      root: box.current,
      rootMargin: `${AHEAD}px 0px 0px 0px`,
    });
    seen.observe(row.current);
    return () => seen.disconnect();
  }, [hasOlder, failed, load, box, first]);
  useAnchor(box, list);
  return { row, load, failed };
}

/** Scrolls by the height of what was put before the first message. */
function useAnchor(box: RefObject<HTMLElement | null>, list: RefObject<HTMLElement | null>): void {
  const known = useRef<{ element: Element; top: number }>(undefined);
  useLayoutEffect(() => {
    const scroller = box.current;
    const element = list.current?.firstElementChild ?? undefined;
    const before = known.current;
    if (
      scroller !== null &&
      before !== undefined &&
      before.element !== element &&
      before.element.isConnected
    ) {
      // Browsers that keep the place themselves would do it a second time.
      scroller.style.overflowAnchor = "none";
      scroller.scrollTop += topIn(scroller, before.element) - before.top;
      requestAnimationFrame(() => scroller.style.removeProperty("overflow-anchor"));
    }
    known.current = scroller && element ? { element, top: topIn(scroller, element) } : undefined;
  });
}

/** Returns how far an element is below the beginning of the scrolled content. */
function topIn(scroller: HTMLElement, element: Element): number {
  return element.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
}
