import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Person, SearchServer } from "../base/server.ts";
import type { Searching } from "./searching.ts";
import { useOtherTabs } from "./use-other-tabs.ts";

interface Known {
  person: Person;
  people: readonly Person[];
}

/** The time between two looks for a server that could not be reached, in milliseconds. */
const AGAIN_MS = 3_000;

/**
 * Reads who the visitor searches as, and lets them choose another person. That person has conversations of
 * their own, so `startAnew` is called then.
 */
export function useMe(server: SearchServer, isReady: boolean, startAnew: () => void): Searching["me"] {
  const { known, show } = useKnown(server, startAnew);
  const [chosen, setChosen] = useState<string>();
  const [failed, setFailed] = useState(false);
  const [moved, setMoved] = useState(false);
  const choices = useRef(0);
  const isChoosing = useRef(false);
  const onRead = useCallback(
    (me: Known) => {
      setFailed(false);
      if (show(() => me)) setMoved(true);
    },
    [show],
  );
  // While somebody is chosen, the server may still answer for the person before.
  const at = useCallback(() => (isChoosing.current ? undefined : choices.current), []);
  const announce = useReading(server, { at, onRead, isReady, failed });
  const become = useCallback(
    (email: string) => {
      choices.current += 1;
      const own = choices.current;
      const isLast = () => own === choices.current;
      isChoosing.current = true;
      setFailed(false);
      setMoved(false);
      setChosen(email);
      const change = async () => {
        await server.become(email);
        announce();
        if (isLast()) show((before) => withPerson(before, email));
      };
      change()
        .catch(() => isLast() && setFailed(true))
        .finally(() => {
          if (!isLast()) return;
          isChoosing.current = false;
          setChosen(undefined);
        });
    },
    [server, show, announce],
  );
  return useMemo(
    () => ({ person: known?.person, people: known?.people ?? [], chosen, failed, moved, become }),
    [known, chosen, failed, moved, become],
  );
}

function withPerson(known: Known | undefined, email: string): Known | undefined {
  const person = known?.people.find((one) => one.email === email);
  return known && person && { ...known, person };
}

/** Keeps the shown person. `show` returns whether it was somebody else before. */
function useKnown(server: SearchServer, startAnew: () => void) {
  const [known, setKnown] = useState<Known>();
  const latest = useRef({ known, startAnew });
  latest.current = { known, startAnew };
  useEffect(() => () => server.shows(undefined), [server]);
  const show = useCallback(
    (change: (before: Known | undefined) => Known | undefined): boolean => {
      const before = latest.current.known;
      const next = change(before);
      if (next === undefined) return false;
      setKnown(next);
      // Before a new conversation loads anything.
      server.shows(next.person.email);
      const isOther = before !== undefined && before.person.email !== next.person.email;
      if (isOther) latest.current.startAnew();
      return isOther;
    },
    [server],
  );
  return { known, show };
}

interface Reading {
  /** The number of choices so far; `undefined` while one is in flight. */
  at(): number | undefined;
  onRead(me: Known): void;
  isReady: boolean;
  failed: boolean;
}

/** Reads the person when they may have changed. Returns the function that reports a choice to other tabs. */
function useReading(server: SearchServer, { at, onRead, isReady, failed }: Reading): () => void {
  const looks = useRef(0);
  const read = useCallback(
    async (signal = new AbortController().signal) => {
      const before = at();
      looks.current += 1;
      const look = looks.current;
      const me = await server.me(signal).catch(() => undefined);
      // A choice and a later look know better.
      const isOld = before === undefined || before !== at() || look !== looks.current;
      if (me !== undefined && !isOld && !signal.aborted) onRead(me);
    },
    [server, at, onRead],
  );
  useEffect(() => server.onOtherPerson(() => void read()), [server, read]);
  // A server whose directory is in the index answers once that is ready.
  useEffect(() => {
    const control = new AbortController();
    void read(control.signal);
    return () => control.abort();
  }, [read, isReady]);
  // A server that is back takes a failed choice away.
  useEffect(() => {
    if (!failed) return;
    const timer = setInterval(() => void read(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [read, failed]);
  return useOtherTabs(read);
}
