export const MOST_PHRASES: number;
export function findPhrases(file: string, text: string): { file: string; line: number; message: string }[];
