export const root: string;
export function at(...parts: string[]): string;
