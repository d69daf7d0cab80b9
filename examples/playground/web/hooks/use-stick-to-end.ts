import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** The distance from the end, in pixels, that still counts as being there. */
const NEAR = 64;
/** Marks parts that are read from their top. */
const FROM_TOP = "[data-from-top]";
/** Space above such a part, in pixels. */
const ABOVE = 16;
/** Time until an opened element has its final size, in milliseconds. */
const OPENED_MS = 150;

export interface StickToEnd {
  /** The scrolling box. */
  box: RefObject<HTMLDivElement | null>;
  /** The growing content inside it. */
  content: RefObject<HTMLDivElement | null>;
  atEnd: boolean;
  toEnd(): void;
  /** Call it when the reader opens something inside, so that what they look at does not move away. */
  hold(): void;
}

/**
 * Scrolls with growing content while the reader is at its end. Scrolling up stops that until the reader
 * returns to the end or calls `toEnd`. A part with `data-from-top` that does not fit into the box is shown
 * from its top. With `follows` set to `false`, the box stays at its top.
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
      // Growing content also increases the distance to the end. Only scrolling up means that the reader wants
      // to stay.
      if (isNearEnd(scroller)) sticks.current = true;
      else if (scroller.scrollTop < top) sticks.current = false;
      top = scroller.scrollTop;
      setAtEnd(sticks.current);
    };
    // A wheel that turns up stops following at once. Within the margin, growth would pull the reader back
    // down.
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
 * Returns where to scroll so that a part which is too high for the box is read from its top; together with
 * the text before it, if there is room.
 */
function startOf(arrived: Element, scroller: HTMLElement): number | undefined {
  const { top, height } = arrived.getBoundingClientRect();
  const message = arrived.closest("li");
  if (height <= scroller.clientHeight || message?.nextElementSibling) return undefined;
  const first = message?.getBoundingClientRect().top ?? top;
  const from = top - first < scroller.clientHeight / 2 ? first : top;
  return scroller.scrollTop + from - scroller.getBoundingClientRect().top - ABOVE;
}
