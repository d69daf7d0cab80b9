import { useCallback, useEffect, useState } from "react";
import type { Person, SearchServer } from "../base/server.ts";
import type { Searching } from "./searching.ts";

interface Known {
  person: Person;
  people: readonly Person[];
}

/**
 * Reads who the visitor searches as, and lets them choose another person. That person has conversations of
 * their own, so `startAnew` is called then.
 */
export function useMe(server: SearchServer, isReady: boolean, startAnew: () => void): Searching["me"] {
  const [known, setKnown] = useState<Known>();
  const [failed, setFailed] = useState(false);
  // The directory is in the index, so it is read again once that is ready.
  useEffect(() => {
    if (!isReady) return;
    const control = new AbortController();
    server.me(control.signal).then(
      (me) => setKnown(me),
      () => undefined,
    );
    return () => control.abort();
  }, [server, isReady]);
  const become = useCallback(
    (email: string) => {
      const before = known;
      const person = known?.people.find((one) => one.email === email);
      if (before === undefined || person === undefined) return;
      setFailed(false);
      setKnown({ ...before, person });
      server.become(email).then(startAnew, () => {
        setFailed(true);
        setKnown(before);
      });
    },
    [server, known, startAnew],
  );
  return { person: known?.person, people: known?.people ?? [], failed, become };
}
