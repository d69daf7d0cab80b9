import type ts from "typescript";

export function findWrongNames(
  program: ts.Program,
  doors: Readonly<Record<string, readonly string[]>>,
  options: {
    isOurs: (file: string) => boolean;
    most?: Readonly<Record<string, number>>;
    everywhere?: readonly string[];
  },
): { file: string; line: number; message: string }[];
