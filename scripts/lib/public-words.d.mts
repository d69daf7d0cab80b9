import type ts from "typescript";

export function publicWords(
  program: ts.Program,
  doors: readonly string[],
  isOurs: (file: string) => boolean,
): Map<string, Set<string>>;

export function findUnexplainedWords(
  words: ReadonlyMap<string, ReadonlySet<string>>,
  glossary: string,
  plain?: ReadonlySet<string>,
): string[];
