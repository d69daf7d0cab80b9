import { useEffect, useMemo } from "react";

/** Object URLs of pictures. */
export interface ObjectUrls {
  make(file: File): string;
  revoke(url: string | undefined): void;
}

/** Makes object URLs, and revokes those that are left when the component is unmounted. */
export function useObjectUrls(): ObjectUrls {
  const live = useMemo(() => new Set<string>(), []);
  const urls = useMemo(
    () => ({
      make: (file: File) => {
        const url = URL.createObjectURL(file);
        live.add(url);
        return url;
      },
      revoke: (url: string | undefined) => {
        if (url !== undefined && live.delete(url)) URL.revokeObjectURL(url);
      },
    }),
    [live],
  );
  useEffect(
    () => () => {
      for (const url of live) urls.revoke(url);
    },
    [live, urls],
  );
  return urls;
}
