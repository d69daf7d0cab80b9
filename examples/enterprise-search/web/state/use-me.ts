import { useCallback, useEffect, useMemo, useRef, useState } from "react";
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
  const [chosen, setChosen] = useState<string>();
  const [failed, setFailed] = useState(false);
  const choices = useRef(0);
  const isKnown = known !== undefined;
  // A server whose directory is in the index answers once that is ready.
  useEffect(() => {
    if (isKnown) return;
    const control = new AbortController();
    server.me(control.signal).then(setKnown, () => undefined);
    return () => control.abort();
  }, [server, isReady, isKnown]);
  const become = useCallback(
    (email: string) => {
      choices.current += 1;
      const own = choices.current;
      const isLast = () => own === choices.current;
      setFailed(false);
      setChosen(email);
      // The person changes once the server knows it: until then it answers for the one before.
      server
        .become(email)
        .then(
          () => {
            if (!isLast()) return;
            setKnown((before) => {
              const person = before?.people.find((one) => one.email === email);
              return before && person ? { ...before, person } : before;
            });
            startAnew();
          },
          () => isLast() && setFailed(true),
        )
        .finally(() => isLast() && setChosen(undefined));
    },
    [server, startAnew],
  );
  return useMemo(
    () => ({ person: known?.person, people: known?.people ?? [], chosen, failed, become }),
    [known, chosen, failed, become],
  );
}
