export function findWideComments(
  file: string,
  text: string,
): { file: string; line: number; message: string }[];
