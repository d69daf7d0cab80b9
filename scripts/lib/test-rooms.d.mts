export function findLooseTests(
  paths: Iterable<string>,
  floors?: Readonly<Record<string, readonly (readonly string[])[]>>,
  mirrored?: readonly string[],
): { file: string; line: number; message: string }[];
