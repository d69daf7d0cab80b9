export function findSleeps(file: string, text: string): { file: string; line: number; message: string }[];
