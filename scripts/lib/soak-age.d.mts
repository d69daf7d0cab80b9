import type { Soaks } from "./soaks.d.mts";

export const MOST_COMMITS: number;

export function findOldSoaks(
  report: string,
  since: (commit: string, paths: readonly string[]) => number | undefined,
  soaks?: Soaks,
): { outdated: string[]; absent: string[] };

export function judgeSoakReport(folder?: string): { ok: boolean; lines: string[] };
