import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { FrameProps } from "../base/seam.ts";
import type { SearchServer } from "../base/server.ts";
import { foundIn, resultsIn } from "../runs/citations.ts";
import { foldRuns } from "../runs/fold.ts";
import { plansAfterQuestions } from "../runs/questions.ts";
import { type Run, type Runs, runOf } from "../runs/run.ts";
import { type Searching, SearchingContext } from "../state/searching.ts";
import { useIndex } from "../state/use-index.ts";
import { useMe } from "../state/use-me.ts";
import { useQueue } from "../state/use-queue.ts";
import { useSettled } from "../state/use-settled.ts";
import { useSources } from "../state/use-sources.ts";
import { useKeys } from "./use-keys.ts";

/** Wraps the page. Folds the events into runs, and keeps messages until the index is ready. */
export function SearchFrame({
  server,
  agent,
  messages,
  events,
  page,
  children,
}: FrameProps & { server: SearchServer }) {
  const { sessionId } = agent;
  const index = useIndex(server);
  const waits = !["ready", "silent"].includes(index.status);
  const { queued, say } = useQueue(waits, agent);
  const me = useMe(server, !waits, page.startAnew);
  const folded = useRef<Runs | undefined>(undefined);
  folded.current = useMemo(() => foldRuns(folded.current, events), [events]);
  const { runs } = folded.current;
  // While a text grows, the calls stay the same. Then the parts around it are not rendered again.
  const results = useSameList(resultsIn(messages));
  const found = useMemo(() => foundIn(results), [results]);
  const leading = useSameList([...plansAfterQuestions(messages)].flat());
  const planAfter = useMemo(() => pairsOf(leading), [leading]);
  const sources = useSources(found, sessionId, page);
  const { shown, showRun } = useShownRun(runs, sessionId, sources, page.showPanel);
  const isOpening = sessionId !== undefined && events.length === 0;
  useKeys(page.focusField, sources);
  const searching = useMemo(
    (): Searching => ({
      ...{ server, runs, found, planAfter, sources, isOpening, shown, showRun, index, queued, me },
    }),
    [isOpening, server, runs, found, planAfter, sources, shown, showRun, index, queued, me],
  );
  const settled = useSettled(agent, events);
  const talking = useMemo(() => ({ ...settled, send: say }), [settled, say]);
  return <SearchingContext value={searching}>{children(talking)}</SearchingContext>;
}

/** The run whose details are shown: the last one, or the one that the user has asked for. */
function useShownRun(
  runs: readonly Run[],
  sessionId: string | undefined,
  { leave }: ReturnType<typeof useSources>,
  showPanel: (shown: boolean) => void,
): Pick<Searching, "shown" | "showRun"> {
  const [asked, setAsked] = useState<string>();
  const count = runs.length;
  // A new run is shown. The choice ends with it, and with its conversation.
  useEffect(() => setAsked(undefined), [count, sessionId]);
  const showRun = useCallback(
    (run: Run, from?: HTMLElement) => {
      leave(from);
      setAsked(run.ids[0]);
      showPanel(true);
    },
    [leave, showPanel],
  );
  return { shown: asked === undefined ? runs.at(-1) : runOf(runs, `run:${asked}`), showRun };
}

/** Returns the last list with the same elements. */
function useSameList<T>(list: readonly T[]): readonly T[] {
  const latest = useRef(list);
  const isSame = list.length === latest.current.length && list.every((one, at) => one === latest.current[at]);
  if (!isSame) latest.current = list;
  return latest.current;
}

function pairsOf(list: readonly string[]): ReadonlyMap<string, string> {
  return new Map(list.flatMap((one, at) => (at % 2 === 0 ? [[one, list[at + 1] ?? ""] as const] : [])));
}
