import type { Finding } from "./arrows.d.mts";

export function findDeadLinks(
  pages: ReadonlyMap<string, string>,
  exists: (path: string) => boolean,
): Finding[];
