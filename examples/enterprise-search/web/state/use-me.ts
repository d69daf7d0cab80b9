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
  const latest = useRef({ known, startAnew });
  latest.current = { known, startAnew };
  // A server whose directory is in the index answers once that is ready. The person is read again when the
  // user comes back to this page, because in another tab they may have chosen somebody else.
  useEffect(() => {
    const control = new AbortController();
    const read = (): void => {
      const own = choices.current;
      server.me(control.signal).then(
        (me) => {
          if (own !== choices.current) return;
          const before = latest.current.known?.person.email;
          setKnown(me);
          if (before !== undefined && before !== me.person.email) latest.current.startAnew();
        },
        () => undefined,
      );
    };
    read();
    addEventListener("focus", read);
    return () => {
      control.abort();
      removeEventListener("focus", read);
    };
  }, [server, isReady]);
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
            latest.current.startAnew();
          },
          () => isLast() && setFailed(true),
        )
        .finally(() => isLast() && setChosen(undefined));
    },
    [server],
  );
  return useMemo(
    () => ({ person: known?.person, people: known?.people ?? [], chosen, failed, become }),
    [known, chosen, failed, become],
  );
}
