import { useCallback, useEffect, useState } from "react";

/**
 * The JSON at `url`, read when the component appears and again on `reload`. What was read stays until then.
 */
export function useJson<T>(url: string): { data: T | undefined; reload: () => void } {
  const [data, setData] = useState<T>();
  const [round, setRound] = useState(0);
  // A new round reads the same address again
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
