export function findWrongRooms(
  files: ReadonlyMap<string, string>,
  floors?: Readonly<Record<string, readonly (readonly string[])[]>>,
): { file: string; line: number; message: string }[];
