import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** The most pixels from the end at which the reader still counts as being at the end. */
const NEAR = 64;
/** Selects parts that are read from their top. */
const FROM_TOP = "[data-from-top]";
/** The space above a part with `data-from-top` after scrolling to it, in pixels. */
const ABOVE = 16;
/** The time until an opened element has its final size, in milliseconds. */
const OPENED_MS = 150;

export interface StickToEnd {
  /** The scrolling box. */
  box: RefObject<HTMLDivElement | null>;
  /** The growing content inside it. */
  content: RefObject<HTMLDivElement | null>;
  atEnd: boolean;
  toEnd(): void;
  /** Keeps the scroll position. Call it when the reader opens something inside the box. */
  hold(): void;
}

/**
 * Scrolls with growing content while the reader is at its end. Scrolling up stops that until the reader
 * returns to the end or `toEnd` is called. A part with `data-from-top` that is higher than the box is shown
 * from its top. If `follows` is `false`, the box stays at its top.
 */
export function useStickToEnd(follows = true): StickToEnd {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const [atEnd, setAtEnd] = useState(true);
  const toEnd = useCallback(() => {
    sticks.current = true;
    setAtEnd(true);
    box.current?.scrollTo({ top: follows ? box.current.scrollHeight : 0 });
  }, [follows]);
  const hold = useCallback(() => {
    sticks.current = false;
    setTimeout(() => {
      sticks.current = box.current !== null && isNearEnd(box.current);
    }, OPENED_MS);
  }, []);
  useEffect(() => {
    const scroller = box.current;
    if (!follows || scroller === null || content.current === null) return;
    let top = scroller.scrollTop;
    const onScroll = (): void => {
      // Growing content increases the distance from the end too. So only scrolling up counts as leaving it.
      if (isNearEnd(scroller)) sticks.current = true;
      else if (scroller.scrollTop < top) sticks.current = false;
      top = scroller.scrollTop;
      setAtEnd(sticks.current);
    };
    // Scrolling up by the wheel stops following at once. Near the end, growing content would pull the reader
    // back down.
    const onWheel = (event: WheelEvent): void => {
      if (event.deltaY < 0 && scroller.scrollHeight > scroller.clientHeight) sticks.current = false;
    };
    const known = new WeakSet<Element>();
    const grown = new ResizeObserver(() => {
      const arrived = [...scroller.querySelectorAll(FROM_TOP)].at(-1);
      const isNew = arrived !== undefined && !known.has(arrived);
      if (isNew) known.add(arrived);
      if (!sticks.current) return;
      const start = isNew ? startOf(arrived, scroller) : undefined;
      scroller.scrollTo({ top: start ?? scroller.scrollHeight });
      if (start === undefined) return;
      sticks.current = isNearEnd(scroller);
      setAtEnd(sticks.current);
    });
    grown.observe(content.current);
    grown.observe(scroller);
    scroller.addEventListener("scroll", onScroll, { passive: true });
    scroller.addEventListener("wheel", onWheel, { passive: true });
    return () => {
      grown.disconnect();
      scroller.removeEventListener("scroll", onScroll);
      scroller.removeEventListener("wheel", onWheel);
    };
  }, [follows]);
  return { box, content, atEnd, toEnd, hold };
}

function isNearEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < NEAR;
}

/**
 * Returns the scroll position that shows a part from its top, with the text before it if that takes less than
 * half of the box. `undefined` if the part fits into the box, or is not in the last message.
 */
function startOf(arrived: Element, scroller: HTMLElement): number | undefined {
  const { top, height } = arrived.getBoundingClientRect();
  const message = arrived.closest("li");
  // The line with what a message has used is a list item of its own.
  if (height <= scroller.clientHeight || message?.matches(":has(~ li:not(.used))")) return undefined;
  const first = message?.getBoundingClientRect().top ?? top;
  const from = top - first < scroller.clientHeight / 2 ? first : top;
  return scroller.scrollTop + from - scroller.getBoundingClientRect().top - ABOVE;
}
