import type { Finding } from "./arrows.d.mts";

export function findUnpublishable(
  folder: string,
  manifest: object,
  texts: ReadonlyMap<string, string>,
  license: string,
): Finding[];
