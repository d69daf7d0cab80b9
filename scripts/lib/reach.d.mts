export const REACH: Readonly<Record<string, number>>;
export function reachOf(files: ReadonlyMap<string, string>, start: string): string[];
export function findFarReaches(
  files: ReadonlyMap<string, string>,
  most?: Readonly<Record<string, number>>,
): { file: string; line: number; message: string }[];
export function linesOf(files: ReadonlyMap<string, string>, paths: readonly string[]): number;
