export const LEGEND: string;

export function hasTitles(path: string): boolean;

export function findWrongPromises(
  files: ReadonlyMap<string, string>,
  legend: string,
): { file: string; line: number; message: string }[];
