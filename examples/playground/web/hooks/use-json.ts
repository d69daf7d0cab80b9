import { useCallback, useEffect, useState } from "react";

/**
 * Loads JSON from `url` when the component mounts and on `reload`. Keeps the old data until the new data
 * arrives.
 */
export function useJson<T>(url: string): { data: T | undefined; reload: () => void } {
  const [data, setData] = useState<T>();
  const [round, setRound] = useState(0);
  // A change of `round` triggers the request, which does not contain it.
  useEffect(() => {
    const control = new AbortController();
    fetch(url, { signal: control.signal })
      .then(async (response) => {
        if (response.ok) setData((await response.json()) as T);
      })
      .catch(() => undefined);
    return () => control.abort();
  }, [url, round]);
  return { data, reload: useCallback(() => setRound((n) => n + 1), []) };
}
