import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** This close to the end, in pixels, counts as being there. */
const NEAR = 64;
/** What is read from its beginning marks itself so. */
const FROM_TOP = "[data-from-top]";
/** That stands so many pixels below the top of the box. */
const ABOVE = 16;
/** What was opened has its size after so many milliseconds. */
const OPENED_MS = 150;

export interface StickToEnd {
  /** The box that scrolls. */
  box: RefObject<HTMLDivElement | null>;
  /** What grows inside it. */
  content: RefObject<HTMLDivElement | null>;
  atEnd: boolean;
  toEnd(): void;
  /** To be called when the reader opens something inside: what they look at must not move away. */
  hold(): void;
}

/**
 * Follows what grows for as long as the reader is at its end. Whoever scrolls up stays where they are, until
 * they come back or ask to. It stops at the beginning of what is marked with `data-from-top` and does not fit
 * into the box. With nothing to follow yet, what is there is read from its top.
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
      // Content that has just grown also makes a distance. Only going up means that somebody wants to stay.
      if (isNearEnd(scroller)) sticks.current = true;
      else if (scroller.scrollTop < top) sticks.current = false;
      top = scroller.scrollTop;
      setAtEnd(sticks.current);
    };
    // A wheel that goes up lets go at once: within the margin, growth would pull the reader back down.
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
 * Where to read what has arrived in the last message from, if it is too high to be seen whole: with the words
 * before it, if there is room.
 */
function startOf(arrived: Element, scroller: HTMLElement): number | undefined {
  const { top, height } = arrived.getBoundingClientRect();
  const message = arrived.closest("li");
  if (height <= scroller.clientHeight || message?.nextElementSibling) return undefined;
  const first = message?.getBoundingClientRect().top ?? top;
  const from = top - first < scroller.clientHeight / 2 ? first : top;
  return scroller.scrollTop + from - scroller.getBoundingClientRect().top - ABOVE;
}
