export const FOLDER: string;
export const INDEX: string;
export const WHY: string;
export const KINDS: readonly { file: string; type: string; section: string; table: string }[];
export function wordsOf(text: string, type: string): string[];
export function findWrongErrorPages(
  pages: ReadonlyMap<string, string>,
  sources: ReadonlyMap<string, string>,
): { file: string; message: string }[];
