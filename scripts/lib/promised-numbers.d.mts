export function findWrongNumbers(
  page: string,
  limits?: { readonly [name: string]: number },
): { file: string; line: number; message: string }[];
