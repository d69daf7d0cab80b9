export const SHORT_LINES: number;
export function findSmallFiles(files: ReadonlyMap<string, string>): { short: string[]; single: string[] };
export function findTooManySmall(
  files: ReadonlyMap<string, string>,
  most?: { short: number; single: number },
): { file: string; line: number; message: string }[];
