import { useEffect, useRef, useState } from "react";
import type { FleetView } from "./fleet-view.ts";
import { newsBetween } from "./news.ts";

/** The most lines that are shown. */
const MOST = 3;

/** A line of news. */
export interface News {
  key: number;
  text: string;
}

/** Collects what has happened while the page was open, the oldest first. */
export function useNews(view: FleetView | undefined): readonly News[] {
  const [news, setNews] = useState<readonly News[]>([]);
  const before = useRef<FleetView>(undefined);
  const key = useRef(0);
  useEffect(() => {
    if (view === undefined) return;
    const lines = before.current === undefined ? [] : newsBetween(before.current, view);
    before.current = view;
    if (lines.length === 0) return;
    const added = lines.map((text) => {
      key.current += 1;
      return { key: key.current, text };
    });
    setNews((shown) => [...shown, ...added].slice(-MOST));
  }, [view]);
  return news;
}
