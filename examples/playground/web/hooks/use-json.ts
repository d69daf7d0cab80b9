import { useCallback, useEffect, useState } from "react";

/**
 * Loads the JSON at `url` when the component mounts and on `reload`. The old data stays until the new data is
 * there.
 */
export function useJson<T>(url: string): { data: T | undefined; reload: () => void } {
  const [data, setData] = useState<T>();
  const [round, setRound] = useState(0);
  // `round` triggers the request; the address stays the same.
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
