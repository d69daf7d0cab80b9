import type { Finding } from "./arrows.d.mts";

export function usesLimits(path: string): boolean;
export function findLooseLimits(
  files: ReadonlyMap<string, string>,
  limits?: Readonly<Record<string, number>>,
): Finding[];
